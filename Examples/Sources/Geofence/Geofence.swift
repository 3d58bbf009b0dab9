import Glibc
import SensorBroker

/// A circle on the ground.
public struct Geofence: Sendable {
    /// Its centre.
    public var latitudeDegrees: Double
    /// Its centre.
    public var longitudeDegrees: Double
    /// How far it reaches.
    public var radiusMeters: Double

    /// A circle around a point.
    public init(latitudeDegrees: Double, longitudeDegrees: Double, radiusMeters: Double) {
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
        self.radiusMeters = radiusMeters
    }

    /// Whether a location is inside; nil where the location is not known, or not well enough to tell.
    public func contains(_ location: Location) -> Bool? {
        guard let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees else { return nil }
        let distance = distanceMeters(latitude, longitude)
        let error = location.horizontalErrorMeters ?? 0
        guard abs(distance - radiusMeters) > error else { return nil }
        return distance < radiusMeters
    }

    /// Good to a metre for fences of some kilometres.
    private func distanceMeters(_ latitude: Double, _ longitude: Double) -> Double {
        let radians = Double.pi / 180
        let north = (latitude - latitudeDegrees) * radians * 6_371_000
        let east = (longitude - longitudeDegrees) * radians * 6_371_000 * cos(latitudeDegrees * radians)
        return (north * north + east * east).squareRoot()
    }
}
