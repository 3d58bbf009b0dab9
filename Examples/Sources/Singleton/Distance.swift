import Glibc
import SensorBroker

enum Distance {
    /// Over ground; none where one of the two is not known.
    static func metres(from: Location?, to: Location) -> Double {
        guard let latitude = from?.latitudeDegrees, let longitude = from?.longitudeDegrees,
            let toLatitude = to.latitudeDegrees, let toLongitude = to.longitudeDegrees
        else { return 0 }
        let radians = Double.pi / 180
        let north = (toLatitude - latitude) * radians * 6_371_000
        let east = (toLongitude - longitude) * radians * 6_371_000 * cos(latitude * radians)
        return (north * north + east * east).squareRoot()
    }
}
