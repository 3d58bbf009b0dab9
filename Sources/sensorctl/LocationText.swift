internal import Readings

/// A location as text in columns; a known quality stands in the place of the dimensions, as in `rtk ±0.02 m`: `48.117300°N   11.516700°E   545.4 m    1.2 m/s   84°  3d ±4.1 m    9/12`.
enum LocationText {
    private static let columns: [(name: String, width: Int, isNumber: Bool, text: @Sendable (Location) -> String?)] = [
        ("LATITUDE", 12, true, { $0.latitudeDegrees.map { angle($0, positive: "N", negative: "S") } }),
        ("LONGITUDE", 13, true, { $0.longitudeDegrees.map { angle($0, positive: "E", negative: "W") } }),
        ("ALTITUDE", 9, true, { $0.altitudeMeters.map { DecimalText.fixed($0, decimals: 1) + " m" } }),
        ("SPEED", 10, true, { $0.speedMetersPerSecond.map { DecimalText.fixed($0, decimals: 1) + " m/s" } }),
        ("TRACK", 5, true, { $0.trackDegrees.map { DecimalText.fixed($0, decimals: 0) + "°" } }),
        ("FIX", 12, false, fix), ("SATELLITES", 0, false, satellites),
    ]

    /// The columns that a narrow terminal can do without, the first one first.
    private static let dispensable = ["SATELLITES", "TRACK", "SPEED", "ALTITUDE"]

    /// The names of the columns; with `room`, of as many as fit into it.
    static func heading(in room: Int? = nil) -> String { line(in: room) { $0.name } }

    /// The location's values; a `-` for each unknown one.
    static func text(_ location: Location, in room: Int? = nil) -> String {
        line(in: room) { $0.text(location) ?? "-" }
    }

    private static func line(
        in room: Int?,
        _ cell: ((name: String, width: Int, isNumber: Bool, text: @Sendable (Location) -> String?)) -> String
    ) -> String {
        // Between narrow columns there is one blank, and none before them.
        func width(_ place: Int) -> Int {
            let column = columns[place]
            return max(room != nil && column.isNumber ? column.width - 1 : column.width, column.name.count)
        }
        var shown = Array(columns.indices)
        var left = dispensable[...]
        while let room, shown.reduce(shown.count - 1, { $0 + width($1) }) > room, let name = left.popFirst() {
            shown.removeAll { columns[$0].name == name }
        }
        return shown.map { place in
            let text = cell(columns[place])
            let width = place == shown.last ? 0 : width(place)
            return columns[place].isNumber ? text.rightAligned(to: width) : text.padded(to: width)
        }.joined(separator: room == nil ? "  " : " ")
    }

    private static func angle(_ degrees: Double, positive: String, negative: String) -> String {
        "\(DecimalText.fixed(abs(degrees), decimals: 6))°\(degrees < 0 ? negative : positive)"
    }

    private static func fix(_ location: Location) -> String? {
        guard location.fix != .noPosition else { return "no fix" }
        let error = location.horizontalErrorMeters
        // An error of centimetres needs them.
        let text = error.map { " ±\(DecimalText.fixed($0, decimals: $0 < 1 ? 2 : 1)) m" } ?? ""
        return (location.status?.shortText ?? location.fix.rawValue) + text
    }

    /// Satellites used and in view: `9/12`.
    private static func satellites(_ location: Location) -> String? {
        guard location.satellitesUsed != nil || location.satellitesVisible != nil else { return nil }
        return [location.satellitesUsed, location.satellitesVisible].map { $0.map { "\($0)" } ?? "-" }
            .joined(separator: "/")
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
