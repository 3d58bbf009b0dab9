internal import Formats
internal import Programs

/// Intervals as people read them: `20 ms`, `1.5 s`.
enum IntervalText {
    /// Nanoseconds in a unit of time, longest unit first.
    private static let units: [(name: String, nanoseconds: Double)] = [
        ("h", 3_600e9), ("min", 60e9), ("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1),
    ]

    /// An interval in the unit that suits it, with at most three decimals: `20 ms`, `1.5 s`.
    static func text(nanoseconds: Int64) -> String {
        let value = Double(nanoseconds)
        let unit = units.first { abs(value) >= $0.nanoseconds } ?? ("s", 1e9)
        return "\(DecimalText.short(value / unit.nanoseconds, decimals: 3)) \(unit.name)"
    }
}

/// Sizes of files as people write and read them: `500kB`, `100MB`, `2GiB`.
enum SizeText {
    private static let units: [(name: String, bytes: Double)] = [
        ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1), ("GiB", 1_073_741_824), ("MiB", 1_048_576), ("KiB", 1_024),
        // As in systemd's settings.
        ("G", 1_073_741_824), ("M", 1_048_576), ("K", 1_024),
    ]

    /// The size in bytes; at least one.
    static func bytes(_ text: String) throws(UsageError) -> Int64 {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let value = Double(digits),
            let factor = units.first(where: { $0.name.lowercased() == unit.lowercased() }),
            let bytes = Int64(exactly: (value * factor.bytes).rounded()), bytes > 0
        else { throw UsageError("'\(text)' is not a size: write it like 500kB, 100MB or 2GiB") }
        return bytes
    }

    /// A size in the unit that suits it, with one decimal: `1.2 MB`.
    static func text(bytes: Int64) -> String {
        let unit = units.prefix(4).first { Double(bytes) >= $0.bytes } ?? ("B", 1)
        return "\(DecimalText.short(Double(bytes) / unit.bytes, decimals: 1)) \(unit.name)"
    }
}

/// Numbers with a fixed number of decimals, for people.
enum DecimalText {
    /// A number rounded to that many decimals, at most 9; a number too large for this is written as Swift writes it.
    static func fixed(_ value: Double, decimals: Int) -> String { DecimalNumber.text(value, decimals: decimals) }

    /// A duration in hours, minutes and seconds: `01:02:03`.
    static func clock(seconds: Int64) -> String {
        [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }
            .joined(separator: ":")
    }

    /// A number as `fixed` writes it, with `+` before a number that is not negative.
    static func signed(_ value: Double, decimals: Int) -> String {
        let text = fixed(value, decimals: decimals)
        return text.hasPrefix("-") ? text : "+" + text
    }

    /// The same, without zeros at the end.
    static func short(_ value: Double, decimals: Int) -> String {
        var text = fixed(value, decimals: decimals)
        guard text.contains("."), !text.contains("e") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
