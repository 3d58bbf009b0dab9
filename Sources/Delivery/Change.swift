internal import Glibc
internal import Readings

/// How far two measurements are apart: metres along the ellipsoid, or m/s² of the vector difference.
enum Change {
    /// Infinite where the two cannot be compared, as a fix with none: that is always news.
    static func between(_ first: Measurement, _ second: Measurement) -> Double {
        switch (first, second) {
        case (.acceleration(let first), .acceleration(let second)):
            let x = second.x - first.x
            let y = second.y - first.y
            let z = second.z - first.z
            return (x * x + y * y + z * z).squareRoot()
        case (.location(let first), .location(let second)):
            return meters(first, second)
        case (.orientation(let first), .orientation(let second)):
            return first == second ? 0 : .infinity
        default:
            return .infinity
        }
    }

    private static func meters(_ first: Location, _ second: Location) -> Double {
        guard let latitude = first.latitudeDegrees, let longitude = first.longitudeDegrees,
            let otherLatitude = second.latitudeDegrees, let otherLongitude = second.longitudeDegrees
        else {
            let bothUnknown = first.latitudeDegrees == nil && second.latitudeDegrees == nil
            return bothUnknown && first.fix == second.fix ? 0 : .infinity
        }
        return Geodesic.meters(
            latitudeDegrees: latitude, longitudeDegrees: longitude,
            toLatitudeDegrees: otherLatitude, longitudeDegrees: otherLongitude)
    }
}
