import SensorBroker
import Synchronization

// How it often looks: a global that everybody writes to and reads from, a trip that can be tested only by driving, and
// a second trip in the same program that is added to the first.

/// The program's locations, and its one trip.
final class GlobalTrip: Sendable {
    static let shared = GlobalTrip()

    private let state = Mutex((metres: 0.0, last: Location?.none))

    private init() {}

    var metres: Double { state.withLock { $0.metres } }

    func run(readings: Int) async throws {
        var remaining = readings
        for try await reading in LocationManager(updateInterval: .milliseconds(100)).readings {
            state.withLock { state in
                state.metres += Distance.metres(from: state.last, to: reading.value)
                state.last = reading.value
            }
            remaining -= 1
            if remaining == 0 { return }
        }
    }
}
