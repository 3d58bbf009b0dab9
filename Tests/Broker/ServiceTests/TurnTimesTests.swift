import Testing

@testable import Service

@Suite("The time of turns") struct TurnTimesTests {
    @Test("is counted in the bucket of the next power of two", arguments: TurnTimes.exponents)
    func bounds(exponent: Int) {
        var times = TurnTimes()
        let bound = Int64(1) << Int64(exponent)
        for time in [bound - 1, bound, bound + 1] { times.add(nanoseconds: time) }
        #expect(times.count(upTo: exponent) == 2)
        #expect(times.count(upTo: exponent + 1) == (exponent == TurnTimes.exponents.upperBound ? 2 : 3))
        #expect(times.count == 3 && times.sumNanoseconds == 3 * bound)
    }

    @Test("has a bucket for any time")
    func extremes() {
        var times = TurnTimes()
        for time in [Int64.min, -1, 0, 1, .max] { times.add(nanoseconds: time) }
        #expect(times.count == 5)
        #expect(times.count(upTo: TurnTimes.exponents.lowerBound) == 4)
        #expect(times.count(upTo: TurnTimes.exponents.upperBound) == 4)
    }
}
