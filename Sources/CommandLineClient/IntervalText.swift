/// Intervals as people write and read them: `100ms`, `1s`, `50Hz`, `2min`, `250us`, `0`.
enum IntervalText {
    private static let examples = "write it like 100ms, 1s, 2min, 250us, 50Hz, or 0 for every sample"

    /// Nanoseconds in a unit of time, longest unit first.
    private static let units: [(name: String, nanoseconds: Double)] = [
        ("h", 3_600e9), ("min", 60e9), ("s", 1e9), ("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("ns", 1),
    ]

    /// Hertz in a unit of frequency.
    private static let frequencies: [String: Double] = ["hz": 1, "khz": 1_000]

    /// The interval in nanoseconds; 0 only where 0 is written.
    static func nanoseconds(_ text: String) throws(UsageError) -> Int64 {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let value = Double(digits), value.isFinite, digits.first != ".", digits.last != "." else {
            throw UsageError("'\(text)' is no interval: \(examples)")
        }
        if value == 0, unit.isEmpty { return 0 }
        guard let nanoseconds = nanoseconds(value, String(unit)) else {
            throw UsageError("'\(text)' has no unit that is known: \(examples)")
        }
        guard let whole = Int64(exactly: nanoseconds.rounded()), whole > 0 || value == 0 else {
            throw UsageError("'\(text)' is too short or too long to be an interval: \(examples)")
        }
        return whole
    }

    /// A frequency in hertz, the unit optional, as an interval in nanoseconds.
    static func nanoseconds(rate text: String) throws(UsageError) -> Int64 {
        let hasUnit = text.lowercased().hasSuffix("hz")
        guard let interval = try? nanoseconds(hasUnit ? text : text + "Hz"), interval > 0 else {
            throw UsageError("'\(text)' is no rate: write it like 50Hz or 0.5Hz")
        }
        return interval
    }

    /// An interval in the unit that suits it, with at most three decimals: `20 ms`, `1.5 s`.
    static func text(nanoseconds: Int64) -> String {
        let value = Double(nanoseconds)
        let unit = units.first { abs(value) >= $0.nanoseconds } ?? ("s", 1e9)
        return "\(DecimalText.short(value / unit.nanoseconds, decimals: 3)) \(unit.name == "us" ? "µs" : unit.name)"
    }

    private static func nanoseconds(_ value: Double, _ unit: String) -> Double? {
        if let frequency = frequencies[unit.lowercased()] { return 1e9 / (value * frequency) }
        return units.first { $0.name == unit }.map { value * $0.nanoseconds }
    }
}
