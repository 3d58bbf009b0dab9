internal import Glibc
internal import Readings

/// How far two measurements are apart, by the rule of their kind: metres along the ellipsoid, or the length of the difference.
enum Change {
    /// Infinite where the two cannot be compared, as a fix with none: that is always news.
    static func between(_ first: Measurement, _ second: Measurement) -> Double {
        switch (first, second) {
        case (.values(let first), .values(let second))
        where first.kind == second.kind && first.kind.row.change == .norm:
            let difference = second.vector - first.vector
            return (difference * difference).sum().squareRoot()
        case (.location(let first), .location(let second)):
            return meters(first, second)
        default:
            return first == second ? 0 : .infinity
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
