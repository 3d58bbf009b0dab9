extension Location: CustomStringConvertible {
    /// The position with its error, the altitude, the speed and the direction, as far as they are known.
    ///
    /// For people to read: numbers are rounded, and the form may change.
    public var description: String {
        guard let latitudeDegrees, let longitudeDegrees else { return "no position" }
        var position = "\(Self.rounded(latitudeDegrees, to: 1e6)), \(Self.rounded(longitudeDegrees, to: 1e6))"
        if let horizontalErrorMeters { position += " ±\(Self.rounded(horizontalErrorMeters)) m" }
        let others: [(name: String, value: Double?, unit: String)] = [
            ("altitude ", altitudeMeters, " m"), ("", speedMetersPerSecond, " m/s"), ("", trackDegrees, "°"),
        ]
        let known = others.compactMap { other in
            other.value.map { "\(other.name)\(Self.rounded($0))\(other.unit)" }
        }
        return ([position] + known).joined(separator: ", ")
    }

    private static func rounded(_ value: Double, to parts: Double = 10) -> Double { (value * parts).rounded() / parts }
}
