import Spool
import Testing

@testable import Fleet

private let second: Int64 = 1_000_000_000

private func epoch(_ number: UInt64) -> Identity { Identity(utcMicroseconds: 0, random: (number, number << 2)) }

private func request(_ resource: String, _ number: UInt64, _ numbers: ClosedRange<UInt64>) -> ResendRequest {
    ResendRequest(resource: resource, epoch: epoch(number), numbers: numbers)
}

/// `ResendQueue` behind a reference, so that an expectation may call it.
private final class Queue {
    private var queue = ResendQueue()

    func take(_ request: ResendRequest, isKnown: Bool = true) { queue.take(request, isKnown: isKnown) }
    func next(_ now: Int64) -> ResendRequest? { queue.next(now) }
    func mayReportLoss(_ now: Int64) -> Bool { queue.mayReportLoss(now) }
    var deadline: Int64? { queue.deadline }
}

@Suite struct ResendQueueTests {
    @Test("requests have their turns, ten a second")
    func turns() {
        let queue = Queue()
        queue.take(request("location", 1, 1...5))
        queue.take(request("location", 1, 20...25))
        queue.take(request("light", 1, 7...7))
        #expect(queue.next(0) == request("location", 1, 1...5) && queue.next(0) == nil)
        #expect(queue.deadline == second / 10)
        #expect(queue.next(second) == request("light", 1, 7...7))
        #expect(queue.next(2 * second) == request("location", 1, 20...25))
        #expect(queue.next(3 * second) == nil && queue.deadline == nil)
    }

    @Test("a flood cannot push out what others have asked for")
    func flood() {
        let queue = Queue()
        for index in 0..<1_000 as Range<UInt64> {
            queue.take(request("location", 1_000 + index, 1...9), isKnown: false)
        }
        for index in 0..<10_000 as Range<UInt64> {
            queue.take(request("light", 1, (index * 100 + 1)...(index * 100 + 2)))
        }
        queue.take(request("light", 1, 777_777...777_777))
        queue.take(request("light", 2, 5...6))
        var (now, numbers, asked, looks) = (Int64(0), NumberSet(), Set<Identity>(), 0)
        while let request = queue.next(now) {
            if request.resource == "light", request.epoch == epoch(1) { numbers.insert(request.numbers) }
            asked.insert(request.epoch)
            looks += 1
            now += second / 10
        }
        // Ranges that are joined ask for what is between them too.
        #expect(numbers.contains(777_777) && numbers.contains(1) && numbers.contains(999_902))
        #expect(asked.contains(epoch(2)) && asked.count == 10 && looks < 40)
    }

    @Test("losses may be reported a second each, and some at once")
    func reportedLosses() {
        let queue = Queue()
        #expect((0..<100).count { _ in queue.mayReportLoss(0) } == 16)
        #expect((0..<100).count { _ in queue.mayReportLoss(10 * second) } == 10)
        #expect((0..<100).count { _ in queue.mayReportLoss(Int64.max) } == 16)
    }
}
