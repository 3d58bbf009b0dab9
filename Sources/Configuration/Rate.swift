/// Rates as people write them: `50Hz`, `0.5Hz`, `4kHz`, `1MHz`.
public enum Rate {
    private static let units: [(name: String, hertz: Double)] = [("khz", 1e3), ("mhz", 1e6), ("hz", 1)]

    /// Every name of a unit, in lower case.
    public static var unitNames: some Collection<String> { units.map(\.name) }

    /// A rate in hertz, more than 0; nil if the text is none.
    ///
    /// Upper and lower case are the same: nobody means millihertz.
    public static func hertz(_ text: some StringProtocol) -> Double? {
        let text = text.lowercased()
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        var digits = text.dropLast(unit.name.count)
        while digits.last == " " { digits.removeLast() }
        guard
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }),
            digits.first != ".", digits.last != ".", let value = Double(digits), value > 0, value.isFinite
        else { return nil }
        return value * unit.hertz
    }
}
