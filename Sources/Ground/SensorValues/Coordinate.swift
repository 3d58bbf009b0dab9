/// A position on the ground, by WGS84.
public struct Coordinate: Hashable, Codable, Sendable {
    /// North positive, -90 to 90.
    public var latitudeDegrees: Double
    /// East positive, -180 to 180.
    public var longitudeDegrees: Double

    /// Creates a coordinate from degrees.
    public init(latitudeDegrees: Double, longitudeDegrees: Double) {
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
    }
}

extension Coordinate: CustomStringConvertible {
    /// Latitude and longitude to a tenth of a metre: `52.520008, 13.404954`.
    public var description: String { "\(latitudeDegrees.text(digits: 6)), \(longitudeDegrees.text(digits: 6))" }
}

extension Location {
    /// Where it is; nil if that is unknown.
    public var coordinate: Coordinate? {
        get {
            guard let latitudeDegrees, let longitudeDegrees else { return nil }
            return Coordinate(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
        }
        set {
            latitudeDegrees = newValue?.latitudeDegrees
            longitudeDegrees = newValue?.longitudeDegrees
        }
    }
}
