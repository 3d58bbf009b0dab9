/// Numbers as files have them: decimal and finite.
///
/// `Double` also reads `nan`, `inf` and hexadecimal, which no file means.
public enum DecimalNumber {
    /// The number that a text is, blanks around it aside; nil where it is none.
    public static func value(_ text: some StringProtocol) -> Double? {
        let digits = text.drop { $0.isBlank }.reversed().drop { $0.isBlank }.reversed()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isPartOfNumber }) else { return nil }
        guard let value = Double(String(digits)), value.isFinite else { return nil }
        return value
    }

    /// The same where a range is required of it.
    static func value(_ text: some StringProtocol, in range: ClosedRange<Double>) -> Double? {
        value(text).flatMap { range.contains($0) ? $0 : nil }
    }
}

extension Character {
    var isBlank: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" || self == "\r\n" }

    fileprivate var isPartOfNumber: Bool { isASCII && (isNumber || "+-.eE".contains(self)) }
}
