extension Location: CustomStringConvertible {
    /// The position with its error, the altitude, the speed and the direction, as far as they are known.
    ///
    /// For people to read: numbers are rounded, and the form may change.
    public var description: String {
        guard let coordinate else { return "no position" }
        var position = "\(coordinate)"
        if let horizontalErrorMeters { position += " ±\(horizontalErrorMeters.text(digits: 1)) m" }
        let others: [(name: String, value: Double?, unit: String)] = [
            ("altitude ", altitudeMeters, " m"), ("", speedMetersPerSecond, " m/s"), ("", trackDegrees, "°"),
        ]
        let known = others.compactMap { other in
            other.value.map { "\(other.name)\($0.text(digits: 1))\(other.unit)" }
        }
        return ([position] + known).joined(separator: ", ")
    }
}
