import Readings
import Testing

@testable import Gpsd

@Suite struct IntervalEstimatorTests {
    @Test("three equal differences make it known, and it is reported once")
    func known() {
        var estimator = IntervalEstimator()
        #expect(take(&estimator, milliseconds: [0, 1000, 2000]) == [false, false, false])
        #expect(estimator.intervalNanoseconds == nil)
        #expect(take(&estimator, milliseconds: [3000, 4000]) == [true, false])
        #expect(estimator.intervalNanoseconds == 1_000_000_000)
    }

    @Test("a lost epoch changes nothing, a lasting change of rate does")
    func changes() {
        var estimator = IntervalEstimator()
        _ = take(&estimator, milliseconds: [0, 1000, 2000, 3000, 5000, 6000, 8000, 9000])
        #expect(estimator.intervalNanoseconds == 1_000_000_000)
        #expect(take(&estimator, milliseconds: [9100, 9200, 9300]) == [false, false, true])
        #expect(estimator.intervalNanoseconds == 100_000_000)
    }

    @Test("milliseconds of rounding are one interval")
    func rounding() {
        var estimator = IntervalEstimator()
        #expect(take(&estimator, milliseconds: [0, 55, 111, 166, 222]).filter { $0 }.count == 1)
    }

    @Test("clocks that are set, stand still or are absurd teach nothing")
    func absurd() {
        var estimator = IntervalEstimator()
        _ = take(&estimator, milliseconds: [9000, 8000, 7000, 6000, 6000, 6000, 6000])
        for seconds in [Int64.min, .max, .min, .max] {
            estimator.take(FixTime(seconds: seconds, nanoseconds: seconds), at: BootTime(nanoseconds: seconds))
        }
        #expect(estimator.intervalNanoseconds == nil)
    }

    @Test("a recording has the rate at which it is replayed", arguments: [5, 50, -4] as [Int64])
    func played(speed: Int64) {
        var estimator = IntervalEstimator()
        let step: Int64 = speed > 0 ? 1_000 / speed : -1_000 * speed
        var intervals: [Int64] = []
        for index: Int64 in 0..<40 {
            let time = FixTime(seconds: 1_600_000_000 + index, nanoseconds: 0)
            let jitter = index % 3 * step / 20
            estimator.take(time, at: BootTime(nanoseconds: (index * step + jitter) * 1_000_000))
            if let interval = estimator.intervalNanoseconds, interval != intervals.last { intervals.append(interval) }
        }
        let interval = estimator.intervalNanoseconds ?? 0
        #expect(abs(interval - step * 1_000_000) <= step * 100_000)
        #expect(intervals.count == 2, "what its times show, then what its arrivals prove")
        #expect(estimator.fixIntervalNanoseconds == 1_000_000_000)
        // Epochs of a slow one take longer; those of a fast one are ended by the next, as usual.
        let cycle = estimator.cycleNanoseconds ?? 0
        let expected = max(1_000, step) * 1_000_000
        #expect(abs(cycle - expected) <= expected / 10)
    }

    @Test("a stalled host does not look like another rate")
    func stalled() {
        var estimator = IntervalEstimator()
        let arrivals: [Int64] = [0, 1_000, 2_000, 3_000, 4_700, 5_020, 6_000, 7_000, 8_900, 9_001, 10_000]
        for (index, arrival) in arrivals.enumerated() {
            let time = FixTime(seconds: 1_600_000_000 + Int64(index), nanoseconds: 0)
            estimator.take(time, at: BootTime(nanoseconds: arrival * 1_000_000))
        }
        #expect(estimator.intervalNanoseconds == 1_000_000_000)
    }

    @Test(
        "nor does one that stood still, and has the epochs of that time at once",
        arguments: [500, 1_000, 5_000] as [Int64], [0, 20] as [Int64])
    func stoodStill(milliseconds: Int64, apart: Int64) {
        var estimator = IntervalEstimator()
        var free: Int64 = 0
        var intervals: Set<Int64?> = []
        for index: Int64 in 0..<200 {
            // It sleeps before the twentieth and before the hundredth; what it finds then comes one by one.
            let due = index * 100 + (index == 20 || index == 100 ? milliseconds : 0)
            free = max(due, free + apart)
            let time = FixTime(seconds: 1_600_000_000 + index / 10, nanoseconds: index % 10 * 100_000_000)
            estimator.take(time, at: BootTime(nanoseconds: free * 1_000_000))
            intervals.insert(estimator.intervalNanoseconds)
        }
        #expect(intervals == [nil, 100_000_000])
    }

    /// Epochs of a receiver whose arrivals match its times; returns whether each changed the interval.
    private func take(_ estimator: inout IntervalEstimator, milliseconds: [Int64]) -> [Bool] {
        milliseconds.map {
            let former = estimator.intervalNanoseconds
            estimator.take(
                FixTime(seconds: 1_600_000_000 + $0 / 1000, nanoseconds: $0 % 1000 * 1_000_000),
                at: BootTime(nanoseconds: $0 * 1_000_000))
            return estimator.intervalNanoseconds != former
        }
    }
}
