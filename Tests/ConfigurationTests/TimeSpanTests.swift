import Configuration
import Testing

@Suite("A length of time") struct TimeSpanTests {
    @Test(
        "is understood as systemd writes it",
        arguments: [
            ("10", 10_000_000_000), ("1.5s", 1_500_000_000), ("1min 30s", 90_000_000_000), ("1min30s", 90_000_000_000),
            ("250 ms", 250_000_000), ("0", 0), ("5us", 5_000), ("7µs", 7_000), ("3ns", 3), ("1h", 3_600_000_000_000),
            ("2 days", 172_800_000_000_000), ("0.0000000019", 1), ("1w", 604_800_000_000_000), ("infinity", .max),
        ] as [(String, Int64)])
    func understood(text: String, nanoseconds: Int64) {
        #expect(TimeSpan(text)?.nanoseconds == nanoseconds)
    }

    @Test(
        "is refused where it says none",
        arguments: [
            "", " ", "s", "-1", "+1", "1x", "1.2.3", "1.", ".5", "1e3", "nan", "99999999999999999999", "300000w",
            "1 min s",
        ])
    func refused(text: String) { #expect(TimeSpan(text) == nil) }

    @Test(
        "is written so that it can be read again",
        arguments: [0, 1, 999, 1_500_000_000, 90_000_000_000, 86_461_000_000_000, 1_000_001, .max] as [Int64])
    func written(nanoseconds: Int64) {
        let span = TimeSpan(nanoseconds: nanoseconds)
        #expect(TimeSpan(span.description) == span)
    }

    @Test("is written in the largest units that fit")
    func words() {
        #expect(TimeSpan(nanoseconds: 90_000_000_000).description == "1min 30s")
        #expect(TimeSpan(nanoseconds: 250_000_000).description == "250ms")
        #expect(TimeSpan(nanoseconds: 0).description == "0")
    }
}
