internal import Readings

/// A location as text in columns: `48.117300°N   11.516700°E   545.4 m    1.2 m/s   84°  3d ±4.1 m  9/12`.
///
/// Where the quality of the fix is known, it stands in place of the dimensions: `rtk ±0.02 m`.
enum LocationText {
    private struct Column: Sendable {
        let name: String
        let width: Int
        /// The column's width on a narrow terminal.
        let narrow: Int
        var isNumber = true
        /// The value's texts, from the longest to the shortest; none if it is unknown.
        let texts: @Sendable (Location) -> [String]

        func width(_ isNarrow: Bool) -> Int { max(isNarrow ? narrow : width, name.count) }
    }

    private static let columns = [
        Column(name: "LATITUDE", width: 12, narrow: 11) { angle($0.latitudeDegrees, "N", "S") },
        Column(name: "LONGITUDE", width: 13, narrow: 12) { angle($0.longitudeDegrees, "E", "W") },
        Column(name: "ALTITUDE", width: 9, narrow: 8) { number($0.altitudeMeters, 1, " m") },
        Column(name: "SPEED", width: 10, narrow: 9) { number($0.speedMetersPerSecond, 1, " m/s") },
        Column(name: "TRACK", width: 5, narrow: 5) { number($0.trackDegrees, 0, "°") },
        Column(name: "FIX", width: 15, narrow: 12, isNumber: false, texts: fix),
        Column(name: "SATELLITES", width: 0, narrow: 0, isNumber: false, texts: satellites),
    ]

    /// The columns that a narrow terminal can do without, the first one first.
    private static let dispensable = ["SATELLITES", "TRACK", "SPEED", "ALTITUDE"]

    /// The names of the columns; with `room`, of as many as fit into it.
    static func heading(in room: Int? = nil) -> String { line(in: room) { [$0.name] } }

    /// The location's values; a `-` for each unknown one.
    static func text(_ location: Location, in room: Int? = nil) -> String {
        line(in: room) { $0.texts(location) }
    }

    private static func line(in room: Int?, _ texts: (Column) -> [String]) -> String {
        // Between narrow columns there is one blank.
        let isNarrow = room != nil
        var shown = columns
        var left = dispensable[...]
        while let room, shown.reduce(shown.count - 1, { $0 + $1.width(true) }) > room, let name = left.popFirst() {
            shown.removeAll { $0.name == name }
        }
        return shown.map { column in
            let width = column.width(isNarrow)
            let texts = texts(column)
            let text = (isNarrow ? texts.first { $0.count <= width } ?? texts.last : texts.first) ?? "-"
            if column.isNumber { return text.rightAligned(to: width) }
            return column.name == shown.last?.name ? text : text.padded(to: width)
        }.joined(separator: isNarrow ? " " : "  ")
    }

    private static func angle(_ degrees: Double?, _ positive: String, _ negative: String) -> [String] {
        degrees.map { [TopText.angle($0, positive, negative, decimals: 6)] } ?? []
    }

    /// A number with these decimals and with fewer.
    private static func number(_ value: Double?, _ decimals: Int, _ unit: String) -> [String] {
        guard let value else { return [] }
        return (0...decimals).reversed().map { DecimalText.fixed(value, decimals: $0) + unit }
    }

    private static func fix(_ location: Location) -> [String] {
        guard location.fix != .noPosition else { return ["no fix"] }
        let word = location.status?.shortText ?? location.fix.rawValue
        // An error of centimetres needs them.
        let decimals = location.horizontalErrorMeters.map { $0 < 1 ? 2 : 1 } ?? 0
        let errors = number(location.horizontalErrorMeters, decimals, " m")
        return errors.map { "\(word) ±\($0)" } + errors.suffix(1).map { "\(word)±\($0)" } + [word]
    }

    /// Satellites used and in view: `9/12`.
    private static func satellites(_ location: Location) -> [String] {
        guard location.satellitesUsed != nil || location.satellitesVisible != nil else { return [] }
        return [
            [location.satellitesUsed, location.satellitesVisible].map { $0.map { "\($0)" } ?? "-" }
                .joined(separator: "/")
        ]
    }
}

extension Location.Status {
    /// The word of a narrow column; nil for an ordinary fix.
    var shortText: String? {
        switch self {
        case .autonomous: nil
        case .dgps: "dgps"
        case .rtkFixed: "rtk"
        case .rtkFloat: "float"
        case .deadReckoning: "dead"
        case .gnssDeadReckoning: "gnss+dr"
        case .timeOnly: "time"
        case .simulated: "sim"
        case .precise: "p(y)"
        }
    }
}

/// A satellite as text: `galileo 4   elevation  41°  azimuth 172°  38 dB-Hz  used`.
enum SatelliteText {
    /// The known values of the satellite.
    static func text(_ satellite: Satellite) -> String {
        func piece(_ name: String, _ number: Double?, _ width: Int, _ unit: String) -> String? {
            number.map { name + DecimalText.fixed($0, decimals: 0).rightAligned(to: width) + unit }
        }
        let pieces = [
            name(satellite).padded(to: 12), piece("elevation ", satellite.elevationDegrees, 3, "°"),
            piece("azimuth ", satellite.azimuthDegrees, 3, "°"), piece("", satellite.signalDecibelHertz, 2, " dB-Hz"),
            satellite.isUsed ? "used" : nil,
        ]
        return pieces.compactMap { $0 }.joined(separator: "  ")
    }

    private static func name(_ satellite: Satellite) -> String {
        guard let system = satellite.system, let number = satellite.systemNumber else { return "PRN \(satellite.prn)" }
        return "\(system.rawValue) \(number)"
    }
}
