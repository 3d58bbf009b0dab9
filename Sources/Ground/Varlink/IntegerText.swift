/// The decimal text of integers, eight digits at a time: each reading has several, and each sample of an uneven batch one of them.
enum IntegerText {
    /// The longest text.
    static let mostBytes = 20
    /// What must be free beyond that, since whole words are written.
    static let slackBytes = 8

    /// Writes an integer.
    static func write(_ value: Int64, to text: inout OutputSpan<UInt8>) {
        if value < 0 { text.append(UInt8(ascii: "-")) }
        write(magnitude: value.magnitude, to: &text)
    }

    /// Writes an integer that has no sign.
    static func write(magnitude: UInt64, to text: inout OutputSpan<UInt8>) {
        let (upper, last) = magnitude.quotientAndRemainder(dividingBy: 100_000_000)
        guard upper > 0 else { return begin(last, &text) }
        let (first, middle) = upper.quotientAndRemainder(dividingBy: 100_000_000)
        if first > 0 {
            begin(first, &text)
            go(on: middle, &text)
        } else {
            begin(middle, &text)
        }
        go(on: last, &text)
    }

    private static func begin(_ number: UInt64, _ text: inout OutputSpan<UInt8>) {
        let digits = DecimalText.eightDigits(number)
        let zeros = number == 0 ? 7 : digits.trailingZeroBitCount / 8
        (DecimalText.ascii(digits) &>> UInt64(8 * zeros)).write(bytes: 8 - zeros, to: &text)
    }

    private static func go(on number: UInt64, _ text: inout OutputSpan<UInt8>) {
        DecimalText.ascii(DecimalText.eightDigits(number)).write(bytes: 8, to: &text)
    }
}
