/// Decimal, finite numbers, as files and people have them.
///
/// `Double` also accepts `nan`, `inf` and hexadecimal.
public enum DecimalNumber {
    /// A number rounded to that many decimals, at most 9; a number too large for this is written as Swift writes it.
    public static func text(_ value: Double, decimals: Int) -> String {
        let scale = (0..<min(max(decimals, 0), 9)).reduce(Int64(1)) { power, _ in power * 10 }
        guard let scaled = Int64(exactly: (value * Double(scale)).rounded()) else { return value.description }
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
        let sign = scaled < 0 ? "-" : ""
        guard scale > 1 else { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(fraction.padded(to: decimals))"
    }

    /// Parses a number, ignoring blanks around it; nil if the text is no number.
    ///
    /// It works on bytes, since files have hundreds of thousands of numbers.
    public static func value(_ text: some StringProtocol) -> Double? {
        let text = Substring(text)
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return nil }
        let digits = text[first...last]
        guard digits.utf8.allSatisfy(isPartOfNumber), let value = Double(digits), value.isFinite else { return nil }
        return value
    }

    /// Whether the text means unknown: empty, dashes, something like `NaN`, or a number that is out of range for a double.
    package static func isUnknown(_ text: some StringProtocol) -> Bool {
        let word = text.lowercased().filter { !$0.isBlank }
        if word.utf8.allSatisfy(isPartOfNumber) {
            return word.allSatisfy { $0 == "-" } || Double(word).map { !$0.isFinite } ?? false
        }
        return [
            "nan", "-nan", "inf", "-inf", "infinity", "-infinity", "null", "nil", "none", "n/a", "na", "?", "unknown",
        ].contains(word)
    }

    /// The same for a value that must be in a range.
    package static func value(_ text: some StringProtocol, in range: ClosedRange<Double>) -> Double? {
        value(text).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

extension BinaryInteger {
    /// A whole number with leading zeros.
    package func padded(to digits: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension Character {
    package var isBlank: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" || self == "\r\n" }
}
