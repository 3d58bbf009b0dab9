import Testing

@testable import sensorctl

@Suite struct IntervalTextTests {
    @Test("an interval is a time or a rate, and a bare number is in seconds")
    func reads() throws {
        #expect(try TimeWords.interval("100ms") == 100_000_000)
        #expect(try TimeWords.interval("0.5") == 500_000_000)
        #expect(try TimeWords.interval("50Hz") == 20_000_000)
        #expect(try TimeWords.interval("0") == 0)
        let error = #expect(throws: UsageError.self) { try TimeWords.interval("soon") }
        #expect(error?.message.contains("'soon' is no interval: write it like 10s") == true)
    }

    @Test("a rate may leave the unit out")
    func rates() throws {
        #expect(try TimeWords.interval(rate: "50") == 20_000_000)
        #expect(try TimeWords.interval(rate: "50Hz") == 20_000_000)
        #expect(try TimeWords.interval(rate: "0.5") == 2_000_000_000)
        for text in ["0", "-1", "1s", "fast", "", "Hz"] {
            #expect(throws: UsageError.self) { try TimeWords.interval(rate: text) }
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
