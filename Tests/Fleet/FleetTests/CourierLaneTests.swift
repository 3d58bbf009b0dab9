import Fleet
import Spool
import Testing

@Suite struct CourierLaneTests {
    @Test(
        "of what is new, and of what is left, the first lane goes first; a stream that was held in two goes on in both")
    func lanes() {
        var shelf = TwoLanes()
        var courier = Courier(order: .live, speed: nil)
        courier.connect(0, receiveMaximum: nil, shelf)
        (shelf.ends[0], shelf.ends[1]) = (6, 7)
        var identifier: Int32 = 0
        func publish() -> [UInt64] {
            var places: [UInt64] = []
            while case .publish(let place, let route) = courier.next(0, &shelf) {
                identifier += 1
                courier.didPublish(place, route, stream: "location", identifiers: [identifier])
                places.append(place)
            }
            return places
        }
        let second = TwoLanes.second
        #expect(publish() == [4, 5, second + 4, second + 5, second + 6, 1, 2, 3, second + 1, second + 2, second + 3])
        for answered in 1...identifier { _ = courier.answer(answered, reason: 0x87, 0) }
        #expect(courier.heldStreams == ["location": .denied] && publish().isEmpty)
        guard case .publish(let probe, let route) = courier.next(10_000_000_000, &shelf) else {
            Issue.record("nothing is tried")
            return
        }
        courier.didPublish(probe, route, stream: "location", identifiers: [99])
        _ = courier.answer(99, reason: 0, 10_000_000_000)
        shelf.arrived.insert(probe)
        #expect(
            Set(publish() + [probe]) == Set((1...5) + (1...6).map { second + $0 } as [UInt64]) && probe == 1)
    }
}

/// Messages of two priorities: three of each are left.
private struct TwoLanes: Shelf {
    static let second: UInt64 = 1 << 56
    var ends: [UInt64] = [4, 4]
    var arrived: Set<UInt64> = []

    var lanes: [Range<UInt64>] { [1..<ends[0], Self.second + 1..<Self.second + ends[1]] }

    func isAcknowledged(_ place: UInt64) -> Bool { arrived.contains(place) }

    func firstUnacknowledged(from place: UInt64) -> UInt64 {
        let lane = lanes[PlaceLane.index(of: place)]
        var place = max(place, lane.lowerBound)
        while place < lane.upperBound, arrived.contains(place) { place += 1 }
        return min(place, lane.upperBound)
    }

    func parcel(at place: UInt64) -> Parcel? { Parcel(stream: "location", bootNanoseconds: 0) }
}
