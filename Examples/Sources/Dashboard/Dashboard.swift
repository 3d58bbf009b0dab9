import Observation
import SensorBroker

// Everything in this target belongs to the main actor unless it says otherwise, as in an app with a user interface.

/// Shows the speed and the tilt of the host: `dashboard [LINES]`.
@main struct Dashboard {
    static func main() async throws {
        let lines = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max
        let model = DashboardModel(
            location: LocationManager(updateInterval: .milliseconds(200)),
            accelerometer: Accelerometer(updateInterval: .milliseconds(200)))
        for _ in 0..<lines {
            await model.nextChange()
            print(model.line)
        }
    }
}

/// How values are shown: an object that the whole program shares.
final class Appearance: SharedInstance {
    static let shared = Appearance()
    var separator = " | "
}

/// What is shown; a view would observe it.
@Observable final class DashboardModel {
    private let location: any LocationService
    private let accelerometer: any AccelerometerService
    @ObservationIgnored @Latest(\Appearance.separator) private var separator

    init(location: any LocationService, accelerometer: any AccelerometerService) {
        self.location = location
        self.accelerometer = accelerometer
        location.startUpdates()
        accelerometer.startUpdates()
    }

    var line: String {
        let speed = location.latest?.value.speedMetersPerSecond.map { "\(Int(($0 * 3.6).rounded())) km/h" }
        let tilt = accelerometer.latest.map { "\($0.value)" }
        return [speed ?? "no speed", tilt ?? "no tilt"].joined(separator: separator)
    }

    /// Waits until the line has changed.
    func nextChange() async {
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = line
            } onChange: {
                continuation.resume()
            }
        }
    }
}
