import Spool
import Testing

@testable import Fleet

private let second: Int64 = 1_000_000_000

private func epoch(_ number: UInt64) -> Identity { Identity(utcMicroseconds: 0, random: (number, number << 2)) }

private func request(_ resource: String, _ number: UInt64, _ numbers: ClosedRange<UInt64>) -> ResendRequest {
    ResendRequest(resource: resource, epoch: epoch(number), numbers: numbers)
}

/// `ResendDesk` behind a reference, so that an expectation may call it.
private final class Desk {
    private var desk = ResendDesk()

    func take(_ request: ResendRequest, isKnown: Bool = true) { desk.take(request, isKnown: isKnown) }
    func next(_ now: Int64) -> ResendRequest? { desk.next(now) }
    func mayTell(_ now: Int64) -> Bool { desk.mayTell(now) }
    var deadline: Int64? { desk.deadline }
}

@Suite struct ResendDeskTests {
    @Test("requests have their turns, ten a second")
    func turns() {
        let desk = Desk()
        desk.take(request("location", 1, 1...5))
        desk.take(request("location", 1, 20...25))
        desk.take(request("light", 1, 7...7))
        #expect(desk.next(0) == request("location", 1, 1...5) && desk.next(0) == nil)
        #expect(desk.deadline == second / 10)
        #expect(desk.next(second) == request("light", 1, 7...7))
        #expect(desk.next(2 * second) == request("location", 1, 20...25))
        #expect(desk.next(3 * second) == nil && desk.deadline == nil)
    }

    @Test("a flood cannot push out what others have asked for")
    func flood() {
        let desk = Desk()
        for index in 0..<1_000 as Range<UInt64> { desk.take(request("location", 1_000 + index, 1...9), isKnown: false) }
        for index in 0..<10_000 as Range<UInt64> {
            desk.take(request("light", 1, (index * 100 + 1)...(index * 100 + 2)))
        }
        desk.take(request("light", 1, 777_777...777_777))
        desk.take(request("light", 2, 5...6))
        var (now, numbers, asked, looks) = (Int64(0), NumberSet(), Set<Identity>(), 0)
        while let request = desk.next(now) {
            if request.resource == "light", request.epoch == epoch(1) { numbers.insert(request.numbers) }
            asked.insert(request.epoch)
            looks += 1
            now += second / 10
        }
        // Ranges that are joined ask for what is between them too.
        #expect(numbers.contains(777_777) && numbers.contains(1) && numbers.contains(999_902))
        #expect(asked.contains(epoch(2)) && asked.count == 10 && looks < 40)
    }

    @Test("losses may be told a second each, and some at once")
    func telling() {
        let desk = Desk()
        #expect((0..<100).count { _ in desk.mayTell(0) } == 16)
        #expect((0..<100).count { _ in desk.mayTell(10 * second) } == 10)
        #expect((0..<100).count { _ in desk.mayTell(Int64.max) } == 16)
    }
}
