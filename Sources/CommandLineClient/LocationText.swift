internal import Readings

/// A location for people: `48.117300°N  11.516700°E  545.4 m  1.2 m/s  84°  3d ±4.1 m  9/12 satellites`.
enum LocationText {
    /// What is known of the location.
    static func text(_ location: Location) -> String {
        func piece(_ number: Double?, _ decimals: Int, _ width: Int, _ unit: String) -> String? {
            number.map { DecimalText.fixed($0, decimals: decimals).rightAligned(to: width) + unit }
        }
        let pieces = [
            location.latitudeDegrees.map { angle($0, width: 9, positive: "N", negative: "S") },
            location.longitudeDegrees.map { angle($0, width: 10, positive: "E", negative: "W") },
            piece(location.altitudeMeters, 1, 6, " m"), piece(location.speedMetersPerSecond, 1, 4, " m/s"),
            piece(location.trackDegrees, 0, 3, "°"), fix(location), satellites(location),
        ]
        return pieces.compactMap { $0 }.joined(separator: "  ")
    }

    private static func angle(_ degrees: Double, width: Int, positive: String, negative: String) -> String {
        let text = DecimalText.fixed(abs(degrees), decimals: 6).rightAligned(to: width)
        return "\(text)°\(degrees < 0 ? negative : positive)"
    }

    private static func fix(_ location: Location) -> String {
        guard location.fix != .none else { return "no fix" }
        let error = location.horizontalErrorMeters
        return location.fix.rawValue + (error.map { " ±\(DecimalText.fixed($0, decimals: 1)) m" } ?? "")
    }

    private static func satellites(_ location: Location) -> String? {
        switch (location.satellitesUsed, location.satellitesVisible) {
        case (let used?, let visible?): "\(used)/\(visible) satellites"
        case (let used?, nil): "\(used) satellites"
        case (nil, let visible?): "\(visible) satellites in view"
        case (nil, nil): nil
        }
    }
}
