internal import Configuration
internal import Formats
internal import Readings

/// Numbers with their units, as people write them.
enum Quantity {
    /// m/s: `50km/h`, `14m/s`, `30mph`, `20kn`; nothing but 0 needs no unit.
    static func speed(_ text: String) -> Double? {
        number(text, ["km/h": 1 / 3.6, "kmh": 1 / 3.6, "m/s": 1, "mph": 0.44704, "kn": 1852.0 / 3600], bare: nil)
            .flatMap { (0...10_000).contains($0) ? $0 : nil }
    }

    /// Metres: `500m`, `2km`, `-12m`; a number alone is of metres.
    static func meters(_ text: String) -> Double? { number(text, ["km": 1_000, "m": 1], bare: 1) }

    /// In a unit: `0.05`, `0.05m/s2`, `2g`, `50mg`; a number alone is in that unit.
    static func value(_ text: String, in unit: KindRow.Unit) -> Double? {
        number(text, unit.factor(of:), bare: 1)
    }

    /// m/s².
    static func acceleration(_ text: String) -> Double? { value(text, in: Kind.acceleration.row.unit) }

    /// Degrees: `90`, `90deg`, `-45°`.
    static func degrees(_ text: String) -> Double? { number(text, ["deg": 1, "°": 1], bare: 1) }

    /// Seconds, more than none, of a length of time: `10s`, `1min 30s`.
    static func seconds(_ text: String) -> Double? {
        guard let span = TimeSpan(text), span != .infinity, span.nanoseconds > 0 else { return nil }
        return Double(span.nanoseconds) / 1e9
    }

    private static func number(_ text: String, _ units: [String: Double], bare: Double?) -> Double? {
        number(text, { units[$0] }, bare: bare)
    }

    private static func number(_ text: String, _ factor: (String) -> Double?, bare: Double?) -> Double? {
        let text = text.filter { $0 != " " }
        let isDigit: (Character) -> Bool = { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        let digits = text.prefix(while: isDigit)
        let unit = String(text.dropFirst(digits.count))
        guard let value = DecimalNumber.value(digits), abs(value) <= 1e9 else { return nil }
        if unit.isEmpty { return bare.map { $0 * value } ?? (value == 0 ? 0 : nil) }
        return factor(unit).map { $0 * value }
    }
}
