public import Readings

/// A location with the time at which it was measured, on its way into somebody else's format.
public struct TimedLocation: Equatable, Sendable {
    /// UTC, microseconds since 1970; nil where nobody knows.
    public var utcMicroseconds: Int64?
    /// The location.
    public var location: Location

    /// A location; its own time outweighs the one that is given.
    public init(_ location: Location, utcMicroseconds: Int64?) {
        self.location = location
        self.utcMicroseconds = location.utcMicroseconds ?? utcMicroseconds
    }

    /// Where it is; nil where there was no fix.
    var position: (latitude: Double, longitude: Double)? {
        guard let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees else { return nil }
        return (latitude, longitude)
    }
}

/// A way as it is written: one name, unbroken pieces.
public struct WrittenPath: Equatable, Sendable {
    /// What it is called.
    public var name: String
    /// Its pieces; between two of them something is missing.
    public var pieces: [[TimedLocation]]

    /// A way with a name.
    public init(name: String, pieces: [[TimedLocation]]) {
        self.name = name
        self.pieces = pieces
    }

    /// The pieces without what has no position; none is empty.
    var positions: [[TimedLocation]] {
        pieces.map { $0.filter { $0.position != nil } }.filter { !$0.isEmpty }
    }
}

extension [TimedLocation] {
    /// What is known of the points of a piece beside position, height and time: a name, and a value for each point, or none.
    var otherFields: [(name: String, values: [String?])] {
        LocationField.all.compactMap { field in
            guard !["latitudeDegrees", "longitudeDegrees", "altitudeMeters"].contains(field.name) else { return nil }
            let values = map { point in field.value(of: point.location).map { DecimalNumber.text($0) } }
            return values.contains { $0 != nil } ? (field.name, values) : nil
        }
    }
}
