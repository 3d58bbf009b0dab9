internal import Configuration
internal import Formats
internal import Mock
internal import Readings

enum NumberWithUnit {
    /// Speed in m/s: `50km/h`, `14m/s`, `30mph`, `20kn`; only 0 needs no unit.
    static func speed(_ text: String) -> Double? {
        number(text, ["km/h": 1 / 3.6, "kmh": 1 / 3.6, "m/s": 1, "mph": 0.44704, "kn": 1852.0 / 3600], bare: nil)
            .flatMap { (0...10_000).contains($0) ? $0 : nil }
    }

    /// Length in metres: `500m`, `2km`, `-12m`; metres are the default.
    static func meters(_ text: String) -> Double? { number(text, ["km": 1_000, "m": 1], bare: 1) }

    /// A value in a kind's unit: `0.05`, `0.05m/s2`, `2g`, `50mg`; the unit is the default.
    static func value(_ text: String, in unit: KindRow.Unit) -> Double? {
        number(text, unit.factor(of:), bare: 1)
    }

    /// Acceleration in m/s².
    static func acceleration(_ text: String) -> Double? { value(text, in: Kind.acceleration.row.unit) }

    /// Degrees: `90`, `90deg`, `-45°`.
    static func degrees(_ text: String) -> Double? { number(text, ["deg": 1, "°": 1], bare: 1) }

    /// A time span in seconds, above 0: `10s`, `1min 30s`.
    static func seconds(_ text: String) -> Double? { time(text).flatMap { $0 > 0 ? $0 : nil } }

    /// A time in seconds, from 0 on.
    static func time(_ text: String) -> Double? {
        TimeSpan(text).flatMap { $0 == .infinity ? nil : Double($0.nanoseconds) / 1e9 }
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

/// Parses the rates that a device offers: `1Hz 5Hz 10Hz`.
enum Rates {
    /// The intervals in nanoseconds, ascending.
    static func intervals(_ text: String) throws(Refusal) -> [Int64] {
        var intervals: [Int64] = []
        for word in UnitWords.joined(text.split { $0 == " " || $0 == "," }.map(String.init)) {
            guard let hertz = Rate.hertz(word), (0.001...50_000).contains(hertz),
                let interval = Int64(exactly: (1e9 / hertz).rounded())
            else {
                throw Refusal(word, isNo: "rate", write: "rates from 0.001Hz to 50kHz, such as 1Hz 12.5Hz 4kHz")
            }
            if !intervals.contains(interval) { intervals.append(interval) }
        }
        guard !intervals.isEmpty else { throw Refusal("has no rate; write rates such as 1Hz 12.5Hz 4kHz") }
        guard intervals.count <= 64 else { throw Refusal("\(intervals.count) rates are too many: 64 at most") }
        return intervals.sorted()
    }
}

/// Parses speeds: `50km/h`, or `0 at 0s, 50km/h at 10s, 50km/h at 1min, 0 at 70s, 0 at 90s`.
enum Speeds {
    static func profile(_ text: String) throws(Refusal) -> SpeedProfile {
        if let speed = NumberWithUnit.speed(text) { return SpeedProfile([(0, speed)]) }
        var points: [(seconds: Double, metersPerSecond: Double)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: " ").map(String.init)
            guard let middle = words.firstIndex(of: "at"), let speed = NumberWithUnit.speed(words[..<middle].joined()),
                let seconds = NumberWithUnit.time(words[(middle + 1)...].joined(separator: " "))
            else {
                throw Refusal(
                    String(part), isNo: "speed",
                    write: "50km/h, 14m/s or 20kn, or speeds at times: 0 at 0s, 50km/h at 10s, 0 at 1min")
            }
            guard points.last.map({ $0.seconds < seconds }) ?? (seconds == 0) else {
                throw Refusal(
                    points.isEmpty
                        ? "begins at \(seconds) s: add the speed at 0s"
                        : "the times do not increase at '\(part)'; write them in order")
            }
            points.append((seconds, speed))
        }
        guard points.count > 1 else { throw Refusal("has only one speed: write it without a time, such as 50km/h") }
        guard points.contains(where: { $0.metersPerSecond > 0 }) else {
            throw Refusal("never moves; for a stationary receiver write Position= instead of a path")
        }
        return SpeedProfile(points)
    }
}
