import Formats
import Programs
import Readings
import Testing

@testable import sensorctl

@Suite struct DecimalTextTests {
    @Test("numbers are rounded to the given decimals")
    func fixed() {
        #expect(DecimalText.fixed(48.1173, decimals: 6) == "48.117300")
        #expect(DecimalText.fixed(-0.0336, decimals: 3) == "-0.034")
        #expect(DecimalText.fixed(9.9996, decimals: 3) == "10.000")
        #expect(DecimalText.fixed(83.7, decimals: 0) == "84")
        #expect(DecimalText.fixed(-0.0001, decimals: 3) == "0.000")
    }

    @Test("a number too large for decimals, or NaN, is shown nevertheless")
    func extremes() {
        #expect(DecimalText.fixed(1e300, decimals: 3) == "1e+300")
        #expect(DecimalText.fixed(.infinity, decimals: 3) == "inf")
        #expect(DecimalText.fixed(.nan, decimals: 3) == "nan")
        #expect(DecimalText.fixed(Double(Int64.min), decimals: 0) == "-9223372036854775808")
    }

    @Test("signs and zeros")
    func variants() {
        #expect(DecimalText.signed(0.012, decimals: 3) == "+0.012")
        #expect(DecimalText.signed(-0.012, decimals: 3) == "-0.012")
        #expect(DecimalText.short(1.500, decimals: 3) == "1.5")
        #expect(DecimalText.short(20, decimals: 3) == "20")
        #expect(7.padded(to: 3) == "007")
    }
}

@Suite struct IntervalTextTests {
    @Test("an interval is a time or a rate, and a bare number is in seconds")
    func reads() throws {
        #expect(try TimeWords.interval("100ms") == 100_000_000)
        #expect(try TimeWords.interval("0.5") == 500_000_000)
        #expect(try TimeWords.interval("50Hz") == 20_000_000)
        #expect(try TimeWords.interval("0") == 0)
        let error = #expect(throws: UsageError.self) { try TimeWords.interval("soon") }
        #expect(error?.description.contains("'soon' is not an interval: write it like 10s") == true)
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

@Suite struct SizeTextTests {
    @Test(
        "a size is a number with its unit",
        arguments: [("500kB", 500_000), ("1.5 MB", 1_500_000), ("2GiB", 2_147_483_648), ("7b", 7), ("1KB", 1_000)])
    func read(text: String, bytes: Int64) throws { #expect(try SizeText.bytes(text) == bytes) }

    @Test("invalid text is refused", arguments: ["", "5", "MB", "0B", "-5MB", "1e3MB", "9999999999999GB", "5 TB"])
    func refused(text: String) { #expect(throws: UsageError.self) { try SizeText.bytes(text) } }

    @Test(
        "a size is written in the unit that suits it", arguments: [(0, "0 B"), (999, "999 B"), (1_250_000, "1.3 MB")])
    func written(bytes: Int64, text: String) { #expect(SizeText.text(bytes: bytes) == text) }
}

@Suite struct GapTextTests {
    @Test("each cause has its own text; an unknown one is shown unchanged")
    func causes() {
        let words = Readings.Gap.Cause.allCases.map { GapText.words($0.rawValue) }
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { $0.contains(" ") })
        #expect(GapText.words("later\u{1B}") == "later\\u001b")
    }
}
