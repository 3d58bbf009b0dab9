import Geofence
import Glibc
import SensorBroker

/// Rings when the host moves away from where it is now: `geofence-alarm [RADIUS IN METRES]`.
@main struct Main {
    static func main() async {
        do { try await watch() } catch {
            let words = "geofence-alarm: \(error)\n"
            write(STDERR_FILENO, words, words.utf8.count)
            exit(1)
        }
    }

    private static func watch() async throws {
        let radius = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 50
        let location = LocationManager(updateInterval: .milliseconds(100))
        location.desiredAccuracy = 25
        let here = try await location.requestLocation().value
        guard let center = here.coordinate else {
            print("The receiver has no position yet.")
            return
        }
        print("The fence is \(radius) m around \(center).")
        let fence = CircularCondition(center: center, radiusMeters: radius)
        if try await GeofenceAlarm(fence, location: location).nextCrossing() == .left { print("Alarm: it has moved.") }
    }
}
