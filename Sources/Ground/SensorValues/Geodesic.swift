// Sines only; the values themselves are of no system.
#if canImport(Musl)
    internal import Musl
#elseif canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Distances on the WGS84 ellipsoid.
package enum Geodesic {
    private static let equatorialMeters = 6_378_137.0
    private static let flattening = 1 / 298.257_223_563

    /// The length of the shortest way between two points, by Lambert's formula: within 10 m over thousands of kilometres
    /// and within millimetres over the distances of usual minimum changes.
    package static func meters(
        latitudeDegrees: Double, longitudeDegrees: Double, toLatitudeDegrees: Double,
        longitudeDegrees toLongitudeDegrees: Double
    ) -> Double {
        let first = reduced(latitudeDegrees)
        let second = reduced(toLatitudeDegrees)
        let halfLongitude = (toLongitudeDegrees - longitudeDegrees) * .pi / 360
        let halfLatitude = (second - first) / 2
        // Haversines keep their precision if the points are close.
        let haversine =
            sin(halfLatitude) * sin(halfLatitude) + cos(first) * cos(second) * sin(halfLongitude) * sin(halfLongitude)
        let angle = 2 * asin(min(1, haversine.squareRoot()))
        guard angle > 0, angle < .pi else { return angle * equatorialMeters }
        let middle = (first + second) / 2
        let sineHalf = sin(angle / 2)
        let cosineHalf = cos(angle / 2)
        let x = (angle - sin(angle)) * square(sin(middle) * cos(halfLatitude) / cosineHalf)
        let y = (angle + sin(angle)) * square(cos(middle) * sin(halfLatitude) / sineHalf)
        return equatorialMeters * (angle - flattening / 2 * (x + y))
    }

    private static func reduced(_ degrees: Double) -> Double { atan((1 - flattening) * tan(degrees * .pi / 180)) }

    private static func square(_ value: Double) -> Double { value * value }
}

extension Coordinate {
    /// The distance to another coordinate in metres, along the ellipsoid.
    public func distance(to other: Self) -> Double {
        Geodesic.meters(
            latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees,
            toLatitudeDegrees: other.latitudeDegrees, longitudeDegrees: other.longitudeDegrees)
    }
}

extension Location {
    /// How far another location is in metres.
    ///
    /// Infinite if only one of the two is known, or if both are unknown for different reasons.
    package func distance(to other: Self) -> Double {
        guard let coordinate, let there = other.coordinate else {
            return coordinate == nil && other.coordinate == nil && fix == other.fix ? 0 : .infinity
        }
        return coordinate.distance(to: there)
    }
}
