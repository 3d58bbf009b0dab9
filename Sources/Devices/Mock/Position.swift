internal import Glibc
internal import Readings

/// A point on the WGS84 ellipsoid.
public struct Position: Equatable, Sendable {
    /// North positive, -90 to 90.
    public var latitudeDegrees: Double
    /// East positive, -180 to 180.
    public var longitudeDegrees: Double

    /// Creates a position; the angles must be in these ranges.
    public init(latitudeDegrees: Double, longitudeDegrees: Double) {
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
    }

    /// The surface normal, a unit vector in the axes of `earthCentered`.
    var normal: SIMD3<Double> {
        let latitude = latitudeDegrees * .pi / 180
        let longitude = longitudeDegrees * .pi / 180
        return SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    /// The position with this surface normal.
    init(normal: SIMD3<Double>) {
        let length = (normal.x * normal.x + normal.y * normal.y).squareRoot()
        latitudeDegrees = atan2(normal.z, length) * 180 / .pi
        longitudeDegrees = length == 0 ? 0 : atan2(normal.y, normal.x) * 180 / .pi
    }

    /// Metres from the centre of the earth: towards 0° N 0° E, 0° N 90° E, and the north pole.
    var earthCentered: SIMD3<Double> {
        let normal = normal
        let radius = Self.semiMajorMeters / (1 - Self.eccentricitySquared * normal.z * normal.z).squareRoot()
        return SIMD3(normal.x * radius, normal.y * radius, normal.z * radius * (1 - Self.eccentricitySquared))
    }

    /// The directions east and north there; at a pole, arbitrary ones.
    var compass: (east: SIMD3<Double>, north: SIMD3<Double>) {
        let longitude = longitudeDegrees * .pi / 180
        let normal = normal
        let east = SIMD3(-sin(longitude), cos(longitude), 0)
        let north = SIMD3(
            normal.y * east.z - normal.z * east.y, normal.z * east.x - normal.x * east.z,
            normal.x * east.y - normal.y * east.x)
        return (east, north)
    }

    /// The position at this distance along the great circle in a direction, clockwise from north.
    func moved(meters: Double, degrees: Double) -> Self {
        let (east, north) = compass
        let course = degrees * .pi / 180
        let ahead = north * cos(course) + east * sin(course)
        // The radius of curvature in that direction, which is exact for short distances.
        let (along, across) = radii
        let angle = meters * (cos(course) * cos(course) / along + sin(course) * sin(course) / across)
        return Self(normal: normal * cos(angle) + ahead * sin(angle))
    }

    /// The radii of curvature there, in metres: along the meridian and across it.
    var radii: (along: Double, across: Double) {
        let sine = sin(latitudeDegrees * .pi / 180)
        let square = 1 - Self.eccentricitySquared * sine * sine
        let across = Self.semiMajorMeters / square.squareRoot()
        return (across * (1 - Self.eccentricitySquared) / square, across)
    }

    private static let semiMajorMeters = 6_378_137.0
    private static let eccentricitySquared = 0.00669437999014
}

extension Location {
    /// Moves the position, if there is one, in a direction clockwise from north.
    mutating func move(meters: Double, degrees: Double) {
        guard let latitudeDegrees, let longitudeDegrees else { return }
        let there = Position(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
            .moved(meters: meters, degrees: degrees)
        self.latitudeDegrees = there.latitudeDegrees
        self.longitudeDegrees = there.longitudeDegrees
    }
}
