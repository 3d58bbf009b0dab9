import Configuration
import Testing

@Suite("A time span") struct TimeSpanTests {
    @Test(
        "is parsed in systemd's notation",
        arguments: [
            ("10", 10_000_000_000), ("1.5s", 1_500_000_000), ("1min 30s", 90_000_000_000), ("1min30s", 90_000_000_000),
            ("250 ms", 250_000_000), ("0", 0), ("5us", 5_000), ("7µs", 7_000), ("3ns", 3), ("1h", 3_600_000_000_000),
            ("2 days", 172_800_000_000_000), ("0.0000000019", 1), ("1w", 604_800_000_000_000), ("infinity", .max),
            ("10sec", 10_000_000_000), ("0.5", 500_000_000), ("2h", 7_200_000_000_000), ("1d", 86_400_000_000_000),
            ("0.0", 0), ("0s", 0),
        ] as [(String, Int64)])
    func understood(text: String, nanoseconds: Int64) {
        #expect(TimeSpan(text)?.nanoseconds == nanoseconds)
    }

    @Test(
        "is refused if it is not a time span",
        arguments: [
            "", " ", "s", "-1", "+1", "1x", "1.2.3", "1.", ".5", "1e3", "nan", "99999999999999999999", "300000w",
            "1 min s", "1S", "0.0000000001", "0.1ns", "٣s", "0x10ms", "1e3s", "50Hz", "1 fortnight",
        ])
    func refused(text: String) { #expect(TimeSpan(text) == nil) }

    @Test(
        "is formatted so that it can be parsed again",
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

    @Test("has the same error message everywhere")
    func message() {
        let error = #expect(throws: TimeSpanError.self) { try TimeSpan(parsing: "soon") }
        #expect(
            error?.description
                == "'soon' is not a time span: write it like 10s, 250ms, 1min 30s, or 0.5 for half a second")
    }

    @Test(
        "too long or too short is reported as that",
        arguments: [
            ("99999999999999999999", "too long: at most 106751d"), ("300000w", "too long: at most 106751d"),
            ("106751d 24h", "too long: at most 106751d"), ("9223372036.9", "too long: at most 106751d"),
            ("0.1ns", "too short: at least 1ns"), ("-1", "not a"), ("1.", "not a"), (".5", "not a"), ("1.2.3", "not a"),
        ])
    func outOfRange(text: String, words: String) {
        for error in [
            #expect(throws: TimeSpanError.self) { try TimeSpan(parsing: text) },
            #expect(throws: TimeSpanError.self) { try TimeSpan(parsingInterval: text) },
        ] { #expect(error?.description.contains("'\(text)' is \(words)") == true) }
    }

    @Test(
        "may be written as a rate if it is an interval",
        arguments: [
            ("50Hz", 20_000_000), ("0.5Hz", 2_000_000_000), ("3hz", 333_333_333), ("1kHz", 1_000_000), ("1MHz", 1_000),
            ("50 Hz", 20_000_000), ("100ms", 100_000_000), ("0.5", 500_000_000), ("1min 30s", 90_000_000_000), ("0", 0),
        ] as [(String, Int64)])
    func interval(text: String, nanoseconds: Int64) throws {
        #expect(try TimeSpan(parsingInterval: text).nanoseconds == nanoseconds)
    }

    @Test(
        "is not an interval if it is infinite or too short",
        arguments: ["infinity", "0Hz", "99999999999999Hz", "-1s", "+5Hz", "Hz", ".5Hz", "5.Hz", "1e3Hz", "infHz", ""])
    func noInterval(text: String) {
        let error = #expect(throws: TimeSpanError.self) { try TimeSpan(parsingInterval: text) }
        #expect(error?.description.contains("50Hz; 0 is every sample") == true)
    }
}
