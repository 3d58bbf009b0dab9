import Testing

@testable import Gpsd

@Suite struct IntervalEstimatorTests {
    @Test("three equal differences make it known, and it is told once")
    func known() {
        var estimator = IntervalEstimator()
        #expect(take(&estimator, milliseconds: [0, 1000, 2000]) == [false, false, false])
        #expect(estimator.intervalNanoseconds == nil)
        #expect(take(&estimator, milliseconds: [3000, 4000]) == [true, false])
        #expect(estimator.intervalNanoseconds == 1_000_000_000)
    }

    @Test("a lost epoch changes nothing, another pace for good does")
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
            let learned = estimator.take(FixTime(seconds: seconds, nanoseconds: seconds))
            #expect(!learned)
        }
        #expect(estimator.intervalNanoseconds == nil)
    }

    private func take(_ estimator: inout IntervalEstimator, milliseconds: [Int64]) -> [Bool] {
        milliseconds.map {
            estimator.take(FixTime(seconds: 1_600_000_000 + $0 / 1000, nanoseconds: $0 % 1000 * 1_000_000))
        }
    }
}
