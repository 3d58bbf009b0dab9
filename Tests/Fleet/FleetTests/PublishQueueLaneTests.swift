@testable import Fleet
import Spool
import Testing

@Suite struct PublishQueueLaneTests {
    @Test(
        "of what is new, and of what is left, the first lane goes first; a stream that was held in two goes on in both")
    func lanes() {
        var source = TwoLanes()
        var queue = PublishQueue(order: .live, speed: nil)
        queue.connect(0, receiveMaximum: nil, source)
        (source.ends[0], source.ends[1]) = (6, 7)
        var identifier: Int32 = 0
        func publish(_ now: Int64 = 0) -> [UInt64] {
            var serials: [UInt64] = []
            while case .publish(let serial, let route) = queue.next(now, &source) {
                identifier += 1
                queue.didPublish(serial, route, stream: "location", identifiers: [identifier])
                serials.append(serial)
            }
            return serials
        }
        let second = TwoLanes.second
        #expect(publish() == [4, 5, second + 4, second + 5, second + 6, 1, 2, 3, second + 1, second + 2, second + 3])
        for answered in 1...identifier { _ = queue.answer(answered, reason: 0x87, 0) }
        #expect(queue.heldTopics.keys.map(\.words).sorted() == ["location", "location/late"] && publish().isEmpty)
        let tried = publish(10_000_000_000)
        #expect(Set(tried) == [1, second + 6], "the oldest of what is left, and the newest")
        for answered in identifier - 1...identifier { _ = queue.answer(answered, reason: 0, 10_000_000_000) }
        source.arrived.formUnion(tried)
        #expect(Set(publish(10_000_000_000) + tried) == Set((1...5) + (1...6).map { second + $0 } as [UInt64]))
    }
}

/// Messages of two priorities: three of each are left.
private struct TwoLanes: PublishSource {
    static let second: UInt64 = 1 << 56
    var ends: [UInt64] = [4, 4]
    var arrived: Set<UInt64> = []

    var lanes: [Range<UInt64>] { [1..<ends[0], Self.second + 1..<Self.second + ends[1]] }

    func isAcknowledged(_ serial: UInt64) -> Bool { arrived.contains(serial) }

    func firstUnacknowledged(from serial: UInt64) -> UInt64 {
        let lane = lanes[SerialLane.index(of: serial)]
        var serial = max(serial, lane.lowerBound)
        while serial < lane.upperBound, arrived.contains(serial) { serial += 1 }
        return min(serial, lane.upperBound)
    }

    func pending(at serial: UInt64) -> PendingMessage? { PendingMessage(stream: "location", bootNanoseconds: 0) }
}
