import Testing

@testable import IIO

@Suite struct SamplingRateTests {
    @Test(
        "a rate is written in its shortest form",
        arguments: [
            ("25.000000", "25"), ("12.5", "12.5"), ("3.906250", "3.90625"), ("0.1", "0.1"), ("0.7", "0.7"),
            ("1e3", "1000"),
            ("333.33333333", "333.333333"), ("0.097", "0.097"), ("99.9999999999", "100"),
        ])
    func text(read: String, written: String) { #expect(SamplingRate(text: read)?.text == written) }

    @Test(
        "0 and implausible numbers are not rates",
        arguments: [
            "0", "0.000000", "-5", "nan", "inf", "1e300", "1e-9", "", "abc", "10Hz",
        ])
    func refuses(text: String) { #expect(SamplingRate(text: text) == nil) }

    @Test(
        "interval and rate are converted into each other",
        arguments: [
            (10_000_000, 100.0), (80_000_000, 12.5), (1_000_000_000, 1), (250_000, 4000),
        ] as [(Int64, Double)])
    func interval(nanoseconds: Int64, hertz: Double) {
        #expect(SamplingRate(hertz: hertz)?.intervalNanoseconds == nanoseconds)
        #expect(SamplingRate(intervalNanoseconds: nanoseconds).hertz == hertz)
    }

    @Test("an interval without a valid rate is clamped", arguments: [Int64.min, -1, 0, 1, .max])
    func clamps(nanoseconds: Int64) {
        let rate = SamplingRate(intervalNanoseconds: nanoseconds)
        #expect(SamplingRate(hertz: rate.hertz) != nil)
        #expect(rate.intervalNanoseconds > 0)
    }
}
