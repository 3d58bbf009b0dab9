import SensorBroker

/// Measures how far the host has gone.
struct TripMeter {
    private(set) var meters = 0.0
    private let location: any LocationService & Sendable
    private var last: Coordinate?

    init(location: any LocationService & Sendable) { self.location = location }

    /// Follows the host until the meter shows so much.
    mutating func follow(until meters: Double) async throws {
        for try await reading in location.readings {
            guard let here = reading.value.coordinate else { continue }
            if let last { self.meters += last.distance(to: here) }
            last = here
            if self.meters >= meters { return }
        }
    }
}
