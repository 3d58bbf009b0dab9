import Testing

@testable import CommandLineClient

@Suite struct IntervalTextTests {
    private static let intervals: [(String, Int64)] = [
        ("100ms", 100_000_000), ("1s", 1_000_000_000), ("50Hz", 20_000_000), ("2min", 120_000_000_000),
        ("250us", 250_000), ("250µs", 250_000), ("7ns", 7), ("1h", 3_600_000_000_000), ("0", 0), ("0.0", 0),
        ("0s", 0), ("1.5s", 1_500_000_000), ("0.5Hz", 2_000_000_000), ("3hz", 333_333_333), ("1kHz", 1_000_000),
        ("10 ms", 10_000_000),
    ]

    @Test("an interval is a number and a unit, of time or of frequency", arguments: intervals)
    func reads(text: String, nanoseconds: Int64) throws {
        #expect(try IntervalText.nanoseconds(text) == nanoseconds)
    }

    @Test(
        "what is no interval is refused with examples",
        arguments: [
            "", "s", "10", "-1s", "+1s", "1e3s", "inf", "nan", "infs", "nanms", "1.s", ".5s", "1.2.3s", "1 fortnight",
            "1S",
            "0Hz", "0.1ns", "99999999999999999999s", "3000000h", "1ms ", "0x10ms", "٣s", "9223372036854775808ns",
            "99999999999999Hz",
        ])
    func refuses(text: String) {
        let error = #expect(throws: UsageError.self) { try IntervalText.nanoseconds(text) }
        #expect(error?.message.contains("100ms") == true)
    }

    @Test("a rate may leave the unit out")
    func rates() throws {
        #expect(try IntervalText.nanoseconds(rate: "50") == 20_000_000)
        #expect(try IntervalText.nanoseconds(rate: "50Hz") == 20_000_000)
        #expect(try IntervalText.nanoseconds(rate: "0.5") == 2_000_000_000)
        for text in ["0", "-1", "1s", "fast", ""] {
            #expect(throws: UsageError.self) { try IntervalText.nanoseconds(rate: text) }
        }
    }

    private static let texts: [(Int64, String)] = [
        (0, "0 s"), (7, "7 ns"), (250_000, "250 µs"), (20_000_000, "20 ms"), (16_666_667, "16.667 ms"),
        (1_500_000_000, "1.5 s"), (60_000_000_000, "1 min"), (5_400_000_000_000, "1.5 h"),
    ]

    @Test("an interval is shown in the unit that suits it", arguments: texts)
    func shows(nanoseconds: Int64, text: String) {
        #expect(IntervalText.text(nanoseconds: nanoseconds) == text)
    }
}
