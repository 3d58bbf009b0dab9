/// Decimal, finite numbers, as files have them.
///
/// `Double` also accepts `nan`, `inf` and hexadecimal.
public enum DecimalNumber {
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

extension Character {
    package var isBlank: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" || self == "\r\n" }
}
