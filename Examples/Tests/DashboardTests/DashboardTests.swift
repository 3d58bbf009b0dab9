import SensorBroker
import SensorBrokerTesting
import Testing

@testable import dashboard

/// A double that belongs to the main actor, as everything in this target.
final class ParkedCar: LocationService {
    var request = SensorRequest(.location)
    var maximumAge: Duration?
    var latest: Reading<Location>?
    var state: ResourceState?
    var error: SensorError?
    var desiredAccuracy: Double?
    private(set) var isUpdating = false
    private let delegation = Delegation<Location>()

    var events: SensorEvents<Location> { SensorEvents([.state(.active)]) }

    func mutateRequest(_ body: (inout SensorRequest) -> Void) { body(&request) }
    func startUpdates() { isUpdating = true }
    func stopUpdates() { isUpdating = false }
    func setDelegate(reference: DelegateReference<Location>?) { delegation.set(reference, to: events) }
    @MainActor func requestReading(
        maximumAge: Duration, timeout: Duration
    ) async throws(SensorError) -> Reading<Location> {
        guard let latest else { throw .timedOut }
        return latest
    }
}

@Suite struct DashboardTests {
    @Test("it shows what the services have measured")
    func line() {
        let car = ParkedCar()
        let time = VirtualTime()
        let model = DashboardModel(
            location: car,
            accelerometer: ScriptedSensor(accelerometer: time, .reading(Acceleration(x: 0, y: 0, z: 9.81))))
        #expect(car.isUpdating && model.line == "no speed | no tilt")
        let parked = Location(latitudeDegrees: 52.5, longitudeDegrees: 13.4, speedMetersPerSecond: 0)
        car.latest = Reading(parked, of: .location, at: time.now)
        time.advance(by: .zero)
        #expect(model.line == "0 km/h | x 0.0, y 0.0, z 9.81 m/s²")
    }
}
