import Readings
import TestTools
import Testing

@testable import Delivery

@Suite("Due times") struct DueTimesTests {
    /// Rates of device and client, in hertz: the table that every other broker fails.
    static let ratios: [(device: Double, client: Double)] = [
        (100, 60), (100, 50), (100, 40), (100, 30), (100, 25), (50, 33.3), (400, 150), (25, 10), (100, 99), (1_000, 7),
        (10, 0.3),
    ]

    @Test("give the exact mean rate for any ratio, with at most one device period of spacing error", arguments: ratios)
    func exactRate(ratio: (device: Double, client: Double)) {
        for jitter in [0.0, 0.02] {
            let period = nanoseconds(ratio.device)
            let interval = nanoseconds(ratio.client)
            let delivered = run(period: period, interval: interval, seconds: 60, jitter: jitter)
            let wanted = 60_000_000_000.0 / Double(interval)
            #expect(abs(Double(delivered.count) - wanted) <= 1.001, "\(ratio) with jitter \(jitter)")
            let slack = Int64(2 * jitter * Double(period))
            for (first, second) in zip(delivered, delivered.dropFirst()) {
                #expect(abs(second - first - interval) <= period + slack, "\(ratio) with jitter \(jitter)")
            }
        }
    }

    @Test("do not drift over a day")
    func noDrift() {
        // 100 Hz for a day is 8.64 million samples: time only what the arithmetic costs.
        let interval = nanoseconds(7.3)
        let delivered = run(period: 10_000_000, interval: interval, seconds: 86_400, jitter: 0)
        let wanted = 86_400e9 / Double(interval)
        #expect(abs(Double(delivered.count) - wanted) <= 1.001)
        let last = delivered.last.map { $0.nanoseconds } ?? 0
        let onGrid = (last + interval / 2) / interval * interval
        #expect(abs(last - onGrid) <= 10_000_000)
    }

    @Test("keep the spacing even if the interval is a multiple of the period")
    func exactDivisor() {
        let delivered = run(period: 10_000_000, interval: 40_000_000, seconds: 60, jitter: 0.02)
        for (first, second) in zip(delivered, delivered.dropFirst()) {
            #expect(abs(second - first - 40_000_000) < 1_000_000)
        }
    }

    @Test("keep their steps while the device's rate changes for others, also where it then has another phase")
    func changingRate() {
        var due = DueTimes(intervalNanoseconds: 20, anchor: nil)
        var delivered = deliver(&due, Array(stride(from: 0, through: 200, by: 20)), period: 20)
        delivered += deliver(&due, Array(stride(from: 205, through: 400, by: 5)), period: 5)
        delivered += deliver(&due, Array(stride(from: 420, through: 600, by: 20)), period: 20)
        #expect(delivered == Array(stride(from: 0, through: 600, by: 20)))
        // Two before each point of the grid: the step to the first is shorter by that, and no other one is.
        let shifted = deliver(&due, Array(stride(from: 603, through: 800, by: 5)), period: 5)
        #expect(shifted == Array(stride(from: 618, through: 798, by: 20)))
    }

    @Test("re-base after a silence, without a burst")
    func silence() {
        var due = DueTimes(intervalNanoseconds: 100, anchor: nil)
        #expect(deliver(&due, [0, 100, 200], period: 10) == [0, 100, 200])
        #expect(
            deliver(&due, [10_050, 10_060, 10_070, 10_090, 10_100, 10_110, 10_200], period: 10) == [
                10_050, 10_100, 10_200,
            ])
    }

    @Test("re-base after the source's clock jumped back")
    func jumpBack() {
        var due = DueTimes(intervalNanoseconds: 100, anchor: nil)
        #expect(deliver(&due, [100_000, 100_100], period: 10) == [100_000, 100_100])
        #expect(deliver(&due, [500, 510, 600, 700], period: 10) == [500, 600, 700])
    }

    @Test("make every sample due if the interval is not longer than the device's period")
    func fasterThanDevice() {
        for interval: Int64 in [0, 1, 9, 10] {
            var due = DueTimes(intervalNanoseconds: interval, anchor: nil)
            #expect(deliver(&due, [0, 9, 21, 30, 37], period: 10) == [0, 9, 21, 30, 37])
        }
    }

    @Test("enforce the interval for a device that is much faster than it reports")
    func fasterThanClaimed() {
        var due = DueTimes(intervalNanoseconds: 100, anchor: nil)
        let times = (0..<100).map { Int64($0 * 10) }
        #expect(deliver(&due, times, period: 100).count <= 20)
    }

    @Test("do not mistake a late sample for a clock that jumped")
    func late() {
        var due = DueTimes(intervalNanoseconds: 100, anchor: nil)
        #expect(deliver(&due, [0, 10, 20, 30], period: 10) == [0])
        // The source seemed silent: the newest went out for the due time of 100.
        due.advance(past: BootTime(nanoseconds: 100), period: 10)
        #expect(deliver(&due, [40, 50, 60, 90, 100, 110, 150, 200, 210], period: 10) == [200])
    }

    @Test("skip no sample of a slow device because an older one was sent late, in a silence")
    func lateTrailing() {
        var due = DueTimes(intervalNanoseconds: 100, anchor: nil)
        #expect(deliver(&due, [0], period: 10) == [0])
        // The device was slowed down to one sample in 100 ns while that of 40 was held.
        due.advance(past: BootTime(nanoseconds: 100), delivering: BootTime(nanoseconds: 40), period: 100)
        #expect(deliver(&due, [140, 240, 340], period: 100) == [140, 240, 340])
    }

    @Test("share their instants between equal and multiple intervals, whenever each began")
    func sharedGrid() {
        let anchor = BootTime(nanoseconds: 3)
        var early = DueTimes(intervalNanoseconds: 20, anchor: anchor)
        var late = DueTimes(intervalNanoseconds: 60, anchor: anchor)
        let times = (0..<100).map { Int64(3 + $0 * 10) }
        let first = deliver(&early, times, period: 10)
        let second = deliver(&late, Array(times.dropFirst(7)), period: 10)
        #expect(Set(second.dropFirst()).isSubset(of: Set(first)))
        #expect(second.count > 10)
    }

    @Test("share them after a hole as well, wherever in the interval it ends", arguments: 100..<160)
    func sharedGridBehindHole(end: Int64) {
        var early = DueTimes(intervalNanoseconds: 20, anchor: nil)
        var late = DueTimes(intervalNanoseconds: 40, anchor: nil)
        let before = (0...6).map { Int64($0 * 10) }
        let after = (0..<30).map { end + Int64($0 * 10) }
        _ = deliver(&early, before, period: 10)
        _ = deliver(&late, before, period: 10)
        // The source is silent: the newest goes out for the next due time.
        late.advance(past: BootTime(nanoseconds: 80), period: 10)
        let first = deliver(&early, after, period: 10)
        let second = deliver(&late, after, period: 10)
        #expect(Set(second).isSubset(of: Set(first)))
        #expect(second.count > 5)
    }

    @Test("survive instants at the ends of the range")
    func extremes() {
        var due = DueTimes(intervalNanoseconds: .max, anchor: nil)
        #expect(deliver(&due, [.min, .max, 0, .max, .min], period: .max).first == .min)
        due = DueTimes(intervalNanoseconds: 1, anchor: BootTime(nanoseconds: .min))
        #expect(!deliver(&due, [.max, .min, .max], period: nil).isEmpty)
    }

    @Test("are skipped in a gap, except the last, which the next sample serves", arguments: [240, 299, 300, 310])
    func skip(until: Int64) {
        var due = DueTimes(intervalNanoseconds: 100, anchor: nil)
        #expect(due.skip(upTo: BootTime(nanoseconds: 350), period: 10) == nil)
        #expect(deliver(&due, [0], period: 10) == [0])
        let missed = due.skip(upTo: BootTime(nanoseconds: until), period: 10) ?? 0
        #expect(missed == Int((until + 15) / 100) - 1)
        let delivered = deliver(&due, (1...100).map { until + $0 * 10 }, period: 10).filter { $0 < 1_000 }
        let last = delivered.last ?? 0
        #expect(missed + delivered.count == Int((last + 5) / 100))
    }

    private func nanoseconds(_ hertz: Double) -> Int64 { Int64((1e9 / hertz).rounded()) }

    private func deliver(_ due: inout DueTimes, _ times: [Int64], period: Int64?) -> [Int64] {
        times.filter { nanoseconds in
            let time = BootTime(nanoseconds: nanoseconds)
            guard due.isDue(time, period: period) else { return false }
            due.advance(past: time, period: period)
            return true
        }
    }

    private func run(period: Int64, interval: Int64, seconds: Int64, jitter: Double) -> [BootTime] {
        var due = DueTimes(intervalNanoseconds: interval, anchor: nil)
        var generator = SeededGenerator(seed: 7)
        var delivered: [BootTime] = []
        for index in 0..<(seconds * 1_000_000_000 / period) {
            let noise = jitter == 0 ? 0 : Int64(Double.random(in: -jitter...jitter, using: &generator) * Double(period))
            let time = BootTime(nanoseconds: index * period + noise)
            guard due.isDue(time, period: period) else { continue }
            due.advance(past: time, period: period)
            delivered.append(time)
        }
        return delivered
    }

    @Test("accept every sample of a decimated source, however close two of them are")
    func decimated() {
        var due = DueTimes(intervalNanoseconds: 100, anchor: nil)
        var taken: [Int64] = []
        for time: Int64 in [0, 30, 130, 230]
        where due.isDue(BootTime(nanoseconds: time), period: 100, wasDecimated: true) {
            due.advance(past: BootTime(nanoseconds: time), period: 100)
            taken.append(time)
        }
        #expect(taken == [0, 30, 130, 230])
    }
}
