import Readings
import Testing

@testable import Delivery

@Suite("A lane in trouble") struct LaneEdgeTests {
    private let pace = Pace(periodNanoseconds: 10, stallNanoseconds: 0)

    @Test("does not mistake late samples for a clock that jumped back after it has delivered the trailing one")
    func lateBurst() {
        var lane = lane(interval: 100)
        for index in 0..<6 { _ = offer(&lane, UInt64(index)) }
        lane.expire(now: BootTime(nanoseconds: 100), pace: pace)
        #expect(lane.readings.map(\.sequence) == [5])
        lane.didSend()
        var sent: [[Double]] = []
        for index in 6..<31 { sent += offer(&lane, UInt64(index), now: 310) }
        #expect(sent == [[20], [30]])
    }

    @Test("counts as lost in a gap only those due times that the next sample does not serve", arguments: 1..<40)
    func deliveredAndLost(missing: UInt64) {
        var lane = lane(interval: 25)
        _ = offer(&lane, 0)
        _ = offer(&lane, 1)
        let until = Int64(10 + missing * 10)
        lane.offer(
            Gap(
                cause: .deviceOverflow, count: Int(missing), from: BootTime(nanoseconds: 20),
                until: BootTime(nanoseconds: until)),
            pace: pace)
        let lost = lane.gaps.compactMap(\.count).reduce(0, +)
        lane.didSend()
        var delivered = 1
        for index in (missing + 2)..<(missing + 60) { delivered += offer(&lane, index).count }
        let last = Int64(missing + 59) * 10
        #expect(delivered + lost == Int((last + 5) / 25) + 1)
    }

    @Test("does not put readings into one batch that are further apart than granted")
    func batchAcrossHole() {
        var lane = lane(interval: 0, batch: 40)
        #expect(offer(&lane, 0, now: 1_000).isEmpty)
        #expect(offer(&lane, 99, now: 1_000) == [[0]])
        lane.expire(now: BootTime(nanoseconds: 1_030), pace: pace)
        #expect(lane.readings.map(\.sequence) == [99])
    }

    @Test("offers a client that wakes the readings that were sent, not those still being gathered")
    func newestIsSent() {
        var lane = lane(interval: 0, batch: 40)
        for index in 0..<4 { _ = offer(&lane, UInt64(index)) }
        _ = offer(&lane, 4)
        #expect(lane.newest?.sequence == 3)
    }

    private func lane(interval: Int64, batch: Int64 = 0) -> Lane {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        let limits = IntervalLimits(kind: .acceleration, offered: .fixed(shortestNanoseconds: 1))
        return Lane(grant: Grant(request, within: limits), anchor: BootTime(nanoseconds: 0))
    }

    /// Offers the sample of a 10 ns grid; returns the reply that it completed, if it did.
    private func offer(_ lane: inout Lane, _ index: UInt64, now: Int64? = nil) -> [[Double]] {
        let stamp = Int64(index) * 10
        lane.offer(Samples.acceleration(index, at: stamp), now: BootTime(nanoseconds: now ?? stamp), pace: pace)
        guard lane.hasOutgoing else { return [] }
        defer { lane.didSend() }
        return [lane.readings.map(\.x)]
    }
}
