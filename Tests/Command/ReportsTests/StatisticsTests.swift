import Testing

@testable import Reports

struct StatisticsTests {
    @Test("the mean and the deviation of few numbers are the textbook's; what is not a number does not count")
    func moments() {
        var statistics = Statistics()
        for value in [2, 4, 4, 4, 5, 5, 7, 9, Double.nan, .infinity] { statistics.add(value) }
        #expect(statistics.count == 8)
        #expect(statistics.mean == 5)
        #expect(abs((statistics.deviation ?? 0) - (32.0 / 7).squareRoot()) < 1e-12)
        #expect(statistics.extremes?.least == 2 && statistics.extremes?.greatest == 9)
    }

    @Test(
        "quantiles of spacings are within a hundredth, from nanoseconds to years",
        arguments: [1, 63, 1_000, 10_000_000, 9_000_000_000_000_000])
    func quantiles(unit: Int64) {
        var spacings = Spacings()
        for index in 1...1_000 as ClosedRange<Int64> { spacings.add(unit * index) }
        #expect(abs(spacings.quantile(0.5) / Double(unit * 500) - 1) < 0.01)
        #expect(abs(spacings.quantile(0.99) / Double(unit * 990) - 1) < 0.01)
        #expect(spacings.quantile(1) <= Double(spacings.longestNanoseconds))
        #expect(spacings.longestNanoseconds == unit * 1_000)
    }
}
