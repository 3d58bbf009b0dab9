public import Readings

/// A location with its time, to be written in another format.
public struct TimedLocation: Equatable, Sendable {
    /// UTC in microseconds since 1970; nil if it is unknown.
    public var utcMicroseconds: Int64?
    /// The location.
    public var location: Location

    /// Creates a timed location; the location's own time has priority.
    public init(_ location: Location, utcMicroseconds: Int64?) {
        self.location = location
        self.utcMicroseconds = location.utcMicroseconds ?? utcMicroseconds
    }

    /// Whether the location is a point of a path.
    public var hasPosition: Bool { position != nil }

    /// The position; nil without a fix.
    var position: Position? {
        guard let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees else { return nil }
        return Position(latitude: latitude, longitude: longitude)
    }

    /// The fields beside position, altitude and time.
    static let otherFields = LocationField.all.filter { field in
        !["latitudeDegrees", "longitudeDegrees", "altitudeMeters"].contains(field.name)
    }
}

/// A place on the earth, in degrees.
struct Position: Equatable, Sendable {
    let latitude: Double
    let longitude: Double
}
