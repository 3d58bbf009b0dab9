internal import Printable
internal import Readings

/// Numbers as `top` writes them: short, and of about the same width.
enum TopText {
    /// A rate: `99.98 Hz`, `1.600 kHz`.
    static func rate(_ hertz: Double) -> String {
        if hertz >= 1_000 { return DecimalText.fixed(hertz / 1_000, decimals: 3) + " kHz" }
        return DecimalText.fixed(hertz, decimals: hertz >= 100 ? 1 : 2) + " Hz"
    }

    /// A time span with three digits: `0.12 ms`, `24.5 µs`.
    static func span(_ nanoseconds: Double) -> String {
        let units: [(name: String, size: Double)] = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]
        let unit = units.first { nanoseconds >= $0.size } ?? ("µs", 1e3)
        let value = nanoseconds / unit.size
        return DecimalText.fixed(value, decimals: value >= 100 ? 0 : value >= 10 ? 1 : 2) + " \(unit.name)"
    }

    /// An interval of a request or a grant: `20 ms`; 0 is every sample.
    static func interval(_ nanoseconds: Int64?) -> String {
        guard let nanoseconds else { return "usual" }
        return nanoseconds == 0 ? "all" : IntervalText.text(nanoseconds: nanoseconds)
    }

    /// How long something has run: `3d 4h`, `12min 7s`.
    static func uptime(_ nanoseconds: Int64) -> String {
        let seconds = max(0, nanoseconds / 1_000_000_000)
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let begin = parts.firstIndex { $0.0 > 0 } ?? 3
        return parts[begin...].prefix(2).map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }

    /// A count in at most five characters: `12345`, `123k`, `4.5M`.
    static func count(_ value: Int64) -> String {
        switch value {
        case ..<100_000: "\(value)"
        case ..<1_000_000: "\(value / 1_000)k"
        case ..<100_000_000: DecimalText.fixed(Double(value) / 1e6, decimals: 1) + "M"
        default: DecimalText.fixed(Double(value) / 1e9, decimals: 1) + "G"
        }
    }

    /// The newest value of a resource, with as much as fits of what belongs to it.
    static func value(of resource: TopResource, width: Int) -> String {
        let texts: [String]
        if let location = resource.location {
            texts = places(location)
        } else if let orientation = resource.orientation {
            texts = [orientation.printable]
        } else {
            texts = values(of: resource)
        }
        return texts.first { $0.count <= width } ?? texts.last ?? ""
    }

    private static func values(of resource: TopResource) -> [String] {
        guard !resource.newest.isEmpty else { return [] }
        let isVector = resource.newest.count > 2
        func text(_ most: Int) -> String {
            resource.newest.map { number($0.value, min(most, resource.decimals), isSigned: isVector) }
                .joined(separator: " ")
        }
        let unit = resource.unit.isEmpty ? "" : " \(resource.unit)"
        return isVector ? [text(3) + unit, text(2) + unit, text(2), text(1)] : [text(9) + unit, text(9)]
    }

    private static func places(_ location: Location) -> [String] {
        guard let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees else {
            return ["no fix"]
        }
        func place(_ decimals: Int) -> String {
            angle(latitude, "N", "S", decimals: decimals) + " " + angle(longitude, "E", "W", decimals: decimals)
        }
        let fix = " " + (location.status?.shortText ?? location.fix.rawValue).uppercased()
        let error =
            location.horizontalErrorMeters.map { " ±\(DecimalText.fixed($0, decimals: $0 < 1 ? 2 : 0)) m" } ?? ""
        let used = location.satellitesUsed.map { " \($0) sat" } ?? ""
        return [place(5) + fix + error + used, place(5) + fix + error, place(5) + fix, place(5), place(3)]
    }

    /// An angle with its hemisphere.
    static func angle(_ degrees: Double, _ positive: String, _ negative: String, decimals: Int) -> String {
        DecimalText.fixed(abs(degrees), decimals: decimals) + "°" + (degrees < 0 ? negative : positive)
    }

    /// A value with as many decimals as are worth it, fewer if it is large.
    static func number(_ value: Double, _ decimals: Int, isSigned: Bool) -> String {
        let size = abs(value)
        let fitting = size >= 10_000 ? 0 : size >= 1_000 ? 1 : 3
        let shown = min(decimals, fitting)
        return isSigned ? DecimalText.signed(value, decimals: shown) : DecimalText.fixed(value, decimals: shown)
    }
}
