internal import Readings

/// How the numbers of a column become values in our unit.
struct ColumnUnit: Equatable {
    var factor = 1.0
    /// Added after that, in our unit.
    var offset = 0.0

    func value(of number: Double) -> Double { number * factor + offset }

    /// The unit of a kind with this spelling; nil if it is none.
    static func of(_ kind: Kind, _ spelling: String) -> Self? {
        let plain = plain(spelling)
        if kind == .temperature {
            switch plain {
            case "f", "degf": return Self(factor: 5.0 / 9, offset: -160.0 / 9)
            case "k", "degk": return Self(offset: -273.15)
            default: break
            }
        }
        let unit = kind.row.unit
        if self.plain(unit.symbol) == plain, !plain.isEmpty { return Self() }
        return unit.aliases.first { self.plain($0.name) == plain }.map { Self(factor: $0.factor) }
    }

    /// The unit of a field of a location with this spelling; nil if it is none.
    static func of(_ field: LocationField, _ spelling: String) -> Self? {
        let plain = plain(spelling)
        return fieldUnits.first { field.name.hasSuffix($0.suffix) }?.units.first { $0.0 == plain }
            .map { Self(factor: $0.1) }
    }

    /// Nanoseconds in a unit of time with this spelling.
    static func nanoseconds(_ spelling: String) -> Double? {
        switch plain(spelling) {
        case "s", "sec", "secs", "second", "seconds": 1e9
        case "ms", "msec", "millis", "millisecond", "milliseconds": 1e6
        case "us", "usec", "micros", "microsecond", "microseconds": 1e3
        case "min", "mins", "minute", "minutes": 60e9
        case "h", "hr", "hrs", "hour", "hours": 3_600e9
        case "ns", "nsec", "nanos", "nanosecond", "nanoseconds": 1
        default: nil
        }
    }

    /// Nanoseconds in the unit of a column's name, if it has one of time: `t_min` is the least of something.
    static func nanoseconds(_ name: ColumnName.Reading) -> Double? {
        name.unit.flatMap { nanoseconds($0) }.flatMap { name.isBracketed || $0 <= 1e9 ? $0 : nil }
    }

    /// The units of fields, by the ends of their names; the longest end comes first.
    private static let fieldUnits: [(suffix: String, units: [(String, Double)])] = [
        (
            "MetersPerSecond",
            [("ms", 1), ("kmh", 1 / 3.6), ("mph", 0.44704), ("kn", 1_852.0 / 3_600), ("fts", 0.3048), ("cms", 0.01)]
        ),
        ("Meters", [("m", 1), ("ft", 0.3048), ("km", 1_000), ("cm", 0.01), ("mm", 0.001)]),
        ("itudeDegrees", [("deg", 1), ("wgs84", 1), ("dd", 1), ("e7", 1e-7), ("1e7", 1e-7)]),
        ("Degrees", [("deg", 1), ("rad", 180 / .pi), ("true", 1)]),
    ]

    /// Spellings that are not in the table of kinds.
    private static let otherSpellings = [
        "mps": "ms", "mps2": "ms2", "mss": "ms2", "msec2": "ms2", "mpss": "ms2", "radps": "rads", "radsec": "rads",
        "degps": "degs", "degsec": "degs", "kph": "kmh", "kmph": "kmh", "knot": "kn", "knots": "kn", "kt": "kn",
        "kts": "kn", "feet": "ft", "meter": "m", "meters": "m", "metres": "m", "metre": "m", "degree": "deg",
        "degrees": "deg", "celsius": "degc", "fahrenheit": "degf", "kelvin": "k", "percent": "%", "pct": "%",
        "volt": "v", "volts": "v", "amp": "a", "amps": "a", "ampere": "a", "pascal": "pa",
    ]

    /// A spelling without what people write in different ways: `m/s²`, `m/s^2`, `m_s2` and `ms-2` are `ms2`.
    private static func plain(_ spelling: String) -> String {
        var text = ""
        for scalar in spelling.lowercased().unicodeScalars {
            switch scalar {
            case "²": text += "2"
            case "µ", "μ": text += "u"
            case "°", "º": text += "deg"
            case "a"..."z", "0"..."9", "%": text.unicodeScalars.append(scalar)
            default: break
            }
        }
        return otherSpellings[text] ?? text
    }
}
