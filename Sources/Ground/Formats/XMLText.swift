/// Text inside XML, and the HTML and SVG that is XML.
public enum XMLText {
    /// The text with XML's special characters escaped, and without characters that XML does not allow.
    public static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            case "\t", "\n", "\r", " "..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"...:
                escaped.unicodeScalars.append(scalar)
            default: escaped += "\u{FFFD}"
            }
        }
        return escaped
    }

    /// An indented element with a number; empty without a number.
    static func element(_ name: String, _ value: Double?, indent: String) -> String {
        value.map { "\(indent)<\(name)>\(DecimalNumber.text($0))</\(name)>\n" } ?? ""
    }
}

extension DecimalNumber {
    /// A number without exponent and with at most nine decimals, as XML's decimal type requires.
    static func text(_ value: Double) -> String {
        let text = value.description
        guard text.contains("e") else { return text.hasSuffix(".0") ? String(text.dropLast(2)) : text }
        guard let scaled = Int64(exactly: (value * 1e9).rounded()) else {
            return Int64(exactly: value.rounded()).map { "\($0)" } ?? "0"
        }
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        let fraction = padded.suffix(9).reversed().drop { $0 == "0" }.reversed()
        let whole = (scaled < 0 ? "-" : "") + padded.dropLast(9)
        return fraction.isEmpty ? whole : whole + "." + String(fraction)
    }
}
