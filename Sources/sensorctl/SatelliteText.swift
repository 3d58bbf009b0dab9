internal import Readings

/// A satellite for people: `galileo 4   elevation  41°  azimuth 172°  38 dB-Hz  used`.
enum SatelliteText {
    /// What is known of the satellite.
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
