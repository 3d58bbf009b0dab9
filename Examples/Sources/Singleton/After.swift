import SensorBroker
import Synchronization

// The same after the five steps of the article: the device is still one, behind the broker, so nothing else has to be.

/// A trip of any source of locations; as many as wanted, and each its own.
struct Trip {
    private let location: any LocationService
    private(set) var metres = 0.0

    init(location: any LocationService = LocationManager(updateInterval: .milliseconds(100))) {
        self.location = location
    }

    mutating func run(readings: Int) async throws {
        var (remaining, last) = (readings, Location?.none)
        for try await reading in location.readings {
            metres += Distance.metres(from: last, to: reading.value)
            last = reading.value
            remaining -= 1
            if remaining == 0 { return }
        }
    }
}

/// The old global, for those who still call it: it has become a thin cover of the new type.
final class RetrofittedTrip: Sendable {
    static let shared = RetrofittedTrip(location: LocationManager(updateInterval: .milliseconds(100)))

    // Not only for one task, as the class.
    private let location: any LocationService & Sendable
    private let total = Mutex(0.0)

    init(location: any LocationService & Sendable) { self.location = location }

    var metres: Double { total.withLock { $0 } }

    func run(readings: Int) async throws {
        var trip = Trip(location: location)
        try await trip.run(readings: readings)
        let metres = trip.metres
        total.withLock { $0 += metres }
    }
}
