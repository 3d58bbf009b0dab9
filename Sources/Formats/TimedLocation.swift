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

    /// The position; nil without a fix.
    var position: (latitude: Double, longitude: Double)? {
        guard let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees else { return nil }
        return (latitude, longitude)
    }
}

/// A path to be written: a name and unbroken pieces.
public struct WrittenPath: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// The pieces; there is a gap between two of them.
    public var pieces: [[TimedLocation]]

    /// Creates a path with a name.
    public init(name: String, pieces: [[TimedLocation]]) {
        self.name = name
        self.pieces = pieces
    }

    /// The pieces without points that have no position; none is empty.
    var positions: [[TimedLocation]] {
        pieces.map { $0.filter { $0.position != nil } }.filter { !$0.isEmpty }
    }
}

extension [TimedLocation] {
    /// The other known values of a piece's points beside position, altitude and time: a name, and a value or none for
    /// each point.
    var otherFields: [(name: String, values: [String?])] {
        LocationField.all.compactMap { field in
            guard !["latitudeDegrees", "longitudeDegrees", "altitudeMeters"].contains(field.name) else { return nil }
            let values = map { point in field.value(of: point.location).map { DecimalNumber.text($0) } }
            return values.contains { $0 != nil } ? (field.name, values) : nil
        }
    }
}
