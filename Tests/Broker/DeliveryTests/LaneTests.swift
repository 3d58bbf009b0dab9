import Readings
import Testing

@testable import Delivery

@Suite("A lane") struct LaneTests {
    private let pace = Pace(periodNanoseconds: 10, stallNanoseconds: 0)

    @Test("decimates to the newest sample of each interval, in the turn in which it arrives")
    func newest() {
        var lane = lane(interval: 25)
        var sent: [[Double]] = []
        for index in 0..<11 { sent += offer(&lane, UInt64(index)) }
        #expect(sent == [[0], [2], [5], [7], [10]])
    }

    @Test("delivers every sample for interval 0")
    func everySample() {
        var lane = lane(interval: 0)
        var sent: [[Double]] = []
        for index: UInt64 in 0..<5 { sent += offer(&lane, index) }
        #expect(sent == [[0], [1], [2], [3], [4]])
    }

    @Test("averages all samples since the last reading, each in one mean only")
    func mean() {
        var lane = lane(interval: 25, filter: .mean)
        var sent: [[Double]] = []
        for index in 0..<11 { sent += offer(&lane, UInt64(index)) }
        #expect(sent == [[0], [1.5], [4], [6.5], [9]])
    }

    @Test("stamps a mean at the mean time and numbers it as its first sample")
    func meanStamp() {
        var lane = lane(interval: 30, filter: .mean)
        for index in 0..<3 { _ = offer(&lane, UInt64(index)) }
        lane.offer(Samples.acceleration(3, at: 30), now: BootTime(nanoseconds: 30), pace: pace)
        #expect(lane.readings.map(\.sequence) == [1])
        #expect(lane.readings.map(\.timestamp.nanoseconds) == [20])
    }

    @Test("gathers a batch for no longer than granted")
    func batch() {
        var lane = lane(interval: 0, batch: 40)
        var sent: [[Double]] = []
        for index in 0..<12 { sent += offer(&lane, UInt64(index)) }
        #expect(sent == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
    }

    @Test("sends a batch when its time is over, even if the source is silent")
    func batchDeadline() {
        var lane = lane(interval: 0, batch: 40)
        #expect(offer(&lane, 0).isEmpty)
        #expect(lane.deadline(pace: pace) == BootTime(nanoseconds: 40))
        lane.expire(now: BootTime(nanoseconds: 39), pace: pace)
        #expect(!lane.hasOutgoing)
        lane.expire(now: BootTime(nanoseconds: 40), pace: pace)
        #expect(lane.hasOutgoing)
        #expect(lane.readings.map(\.sequence) == [0])
    }

    @Test("delivers the newest held sample once, when the source falls silent")
    func trailing() {
        var lane = lane(interval: 100)
        for index in 0..<4 { _ = offer(&lane, UInt64(index)) }
        #expect(lane.deadline(pace: pace) == BootTime(nanoseconds: 100))
        lane.expire(now: BootTime(nanoseconds: 100), pace: pace)
        #expect(lane.readings.map(\.sequence) == [3])
        lane.didSend()
        #expect(lane.deadline(pace: pace) == nil)
        #expect(offer(&lane, 12).isEmpty)
        #expect(offer(&lane, 20) == [[20]])
    }

    @Test("does not mistake the moment before a sample arrives for silence")
    func noFalseSilence() {
        var lane = lane(interval: 100)
        for index in 0..<10 { _ = offer(&lane, UInt64(index)) }
        #expect(lane.deadline(pace: pace) == BootTime(nanoseconds: 110))
        #expect(offer(&lane, 10) == [[10]])
    }

    @Test("leaves out readings that changed less than the minimum since the last delivered one")
    func minimumChange() {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 0
        request.minimumChange = 2.5
        var lane = Lane(grant: Grant(request, within: limits), anchor: nil)
        var sent: [[Double]] = []
        for index: UInt64 in 0..<10 { sent += offer(&lane, index) }
        #expect(sent == [[0], [3], [6], [9]])
    }

    @Test("requires both the interval and the minimum change")
    func minimumChangeAndInterval() {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 40
        request.minimumChange = 1
        var lane = Lane(grant: Grant(request, within: limits), anchor: nil)
        let moves: [Double] = [0, 5, 9, 12, 12.5, 0, 0, 0, 0, 0.4, 0.8, 1.2]
        var sent: [Int64] = []
        for (index, x) in moves.enumerated() {
            let now = BootTime(nanoseconds: Int64(index) * 10)
            lane.offer(Samples.acceleration(UInt64(index), at: now.nanoseconds, x: x), now: now, pace: pace)
            sent += lane.hasOutgoing ? lane.readings.map(\.timestamp.nanoseconds) : []
            if lane.hasOutgoing { lane.didSend() }
        }
        #expect(sent == [0, 40, 80])
    }

    @Test(
        "gives no more than an interval's reading if each changes enough, whatever the device's period",
        arguments: [Filter.newest, .mean])
    func minimumChangeKeepsTheRate(filter: Filter) {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = 25
        request.minimumChange = 0.001
        request.filter = filter
        var lane = Lane(grant: Grant(request, within: limits), anchor: nil)
        var count = 0
        for index: UInt64 in 0..<101 { count += offer(&lane, index).count }
        #expect((40...41).contains(count))
    }

    @Test("counts the readings lost by a gap of the device")
    func gapCount() {
        var lane = lane(interval: 25)
        _ = offer(&lane, 0)
        let gap = Gap(
            cause: .deviceOverflow, count: 9, from: BootTime(nanoseconds: 10), until: BootTime(nanoseconds: 90))
        lane.offer(gap, pace: pace)
        #expect(lane.gaps.map(\.count) == [3])
        var every = self.lane(interval: 0)
        every.offer(gap, pace: pace)
        #expect(every.gaps.map(\.count) == [9])
    }

    private let limits = IntervalLimits(kind: .acceleration, offered: .fixed(shortestNanoseconds: 1))

    private func lane(interval: Int64, batch: Int64 = 0, filter: Filter = .newest) -> Lane {
        var request = Request(resource: .accelerometer)
        request.intervalNanoseconds = interval
        request.batchNanoseconds = batch
        request.filter = filter
        return Lane(grant: Grant(request, within: limits), anchor: BootTime(nanoseconds: 0))
    }

    /// Offers the sample of a 10 ns grid; returns the reply that it completed, if it did.
    private func offer(_ lane: inout Lane, _ index: UInt64) -> [[Double]] {
        let now = BootTime(nanoseconds: Int64(index) * 10)
        lane.offer(Samples.acceleration(index, at: now.nanoseconds), now: now, pace: pace)
        guard lane.hasOutgoing else { return [] }
        defer { lane.didSend() }
        return [lane.readings.map(\.x)]
    }
}
