internal import Glibc
internal import Readings

/// The distance of two samples, computed otherwise than in the core: over some metres the ellipsoid is a plane.
enum Distance {
    static func between(_ first: Sample, _ second: Sample) -> Double {
        switch (first.measurement, second.measurement) {
        case (.values(let first), .values(let second)):
            let (x, y, z) = (second[0] - first[0], second[1] - first[1], second[2] - first[2])
            return (x * x + y * y + z * z).squareRoot()
        case (.location(let first), .location(let second)): return meters(first, second)
        default: return .infinity
        }
    }

    /// How much the two methods may differ.
    static func tolerance(of change: Double) -> Double { 1e-9 + change * 1e-5 }

    /// A fix differs completely from no fix; two samples without a fix do not differ.
    private static func meters(_ first: Location, _ second: Location) -> Double {
        guard let latitude = first.latitudeDegrees, let longitude = first.longitudeDegrees,
            let otherLatitude = second.latitudeDegrees, let otherLongitude = second.longitudeDegrees
        else { return first.fix == second.fix ? 0 : .infinity }
        let radians = Double.pi / 180
        let (axis, eccentricity) = (6_378_137.0, 0.006_694_379_990_14)
        let sine = sin((latitude + otherLatitude) / 2 * radians)
        let root = 1 - eccentricity * sine * sine
        let north = (otherLatitude - latitude) * radians * axis * (1 - eccentricity) / (root * root.squareRoot())
        let turn = (otherLongitude - longitude + 540).truncatingRemainder(dividingBy: 360) - 180
        let east = turn * radians * axis / root.squareRoot() * (1 - sine * sine).squareRoot()
        return (north * north + east * east).squareRoot()
    }
}
