internal import Varlink

/// A location for people: `48.117300°N  11.516700°E  545.4 m  1.2 m/s  84°  3d ±4.1 m  9/12 satellites`.
enum LocationText {
    /// What is known of the location.
    static func text(_ location: Parameters) -> String {
        func number(_ name: String) -> Double? { (try? location.optionalNumber(name)) ?? nil }
        func piece(_ name: String, _ decimals: Int, _ width: Int, _ unit: String) -> String? {
            number(name).map { DecimalText.fixed($0, decimals: decimals).rightAligned(to: width) + unit }
        }
        let pieces = [
            number("latitudeDegrees").map { angle($0, width: 9, positive: "N", negative: "S") },
            number("longitudeDegrees").map { angle($0, width: 10, positive: "E", negative: "W") },
            piece("altitudeMeters", 1, 6, " m"), piece("speedMetersPerSecond", 1, 4, " m/s"),
            piece("trackDegrees", 0, 3, "°"), fix(location, error: number("horizontalErrorMeters")),
            satellites(location),
        ]
        return pieces.compactMap { $0 }.joined(separator: "  ")
    }

    private static func angle(_ degrees: Double, width: Int, positive: String, negative: String) -> String {
        let text = DecimalText.fixed(abs(degrees), decimals: 6).rightAligned(to: width)
        return "\(text)°\(degrees < 0 ? negative : positive)"
    }

    private static func fix(_ location: Parameters, error: Double?) -> String? {
        guard let fix = (try? location.optionalString("fix")) ?? nil, fix != "none" else { return "no fix" }
        return fix.printable + (error.map { " ±\(DecimalText.fixed($0, decimals: 1)) m" } ?? "")
    }

    private static func satellites(_ location: Parameters) -> String? {
        func count(_ name: String) -> Int64? { (try? location.optionalInteger(name)) ?? nil }
        switch (count("satellitesUsed"), count("satellitesVisible")) {
        case (let used?, let visible?): return "\(used)/\(visible) satellites"
        case (let used?, nil): return "\(used) satellites"
        case (nil, let visible?): return "\(visible) satellites in view"
        case (nil, nil): return nil
        }
    }
}
