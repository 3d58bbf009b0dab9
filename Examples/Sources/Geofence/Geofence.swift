import SensorBroker

/// A circle on the ground.
public struct Geofence: Sendable {
    /// Its centre.
    public var center: Coordinate
    /// How far it reaches.
    public var radiusMeters: Double

    /// A circle around a point.
    public init(center: Coordinate, radiusMeters: Double) {
        self.center = center
        self.radiusMeters = radiusMeters
    }

    /// Whether a location is inside; nil where the location is not known, or not well enough to tell.
    public func contains(_ location: Location) -> Bool? {
        guard let distance = location.coordinate?.distance(to: center) else { return nil }
        let error = location.horizontalErrorMeters ?? 0
        guard abs(distance - radiusMeters) > error else { return nil }
        return distance < radiusMeters
    }
}
