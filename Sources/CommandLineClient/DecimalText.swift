/// Numbers with a fixed number of decimals, for people.
enum DecimalText {
    /// A number with just so many decimals (at most 9), rounded; one too large for that as Swift writes it.
    static func fixed(_ value: Double, decimals: Int) -> String {
        let scale = (0..<min(max(decimals, 0), 9)).reduce(Int64(1)) { power, _ in power * 10 }
        guard let scaled = Int64(exactly: (value * Double(scale)).rounded()) else { return value.description }
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(scale))
        let sign = scaled < 0 ? "-" : ""
        guard scale > 1 else { return "\(sign)\(whole)" }
        return "\(sign)\(whole).\(padded(fraction, to: decimals))"
    }

    /// The same with `+` before what is not negative.
    static func signed(_ value: Double, decimals: Int) -> String {
        let text = fixed(value, decimals: decimals)
        return text.hasPrefix("-") ? text : "+" + text
    }

    /// The same without zeros at the end.
    static func short(_ value: Double, decimals: Int) -> String {
        var text = fixed(value, decimals: decimals)
        guard text.contains("."), !text.contains("e") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    /// A whole number with zeros before it, up to so many digits.
    static func padded(_ value: some BinaryInteger, to digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
