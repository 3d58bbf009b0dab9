import SensorBroker

/// Measures how far the host has gone.
struct TripMeter {
    private(set) var meters = 0.0
    /// How often the way was unknown for a while.
    private(set) var gaps = 0
    /// One iteration, so that nothing is missed between two calls.
    private var events: SensorEvents<Location>.Iterator
    private var last: Coordinate?

    init(location: any LocationService & Sendable) { events = location.events.makeAsyncIterator() }

    /// Follows the host until the meter shows so much.
    mutating func follow(until meters: Double) async throws {
        while let event = try await events.next() {
            switch event {
            case .reading(let reading):
                guard let here = reading.value.coordinate else { continue }
                if let last { self.meters += last.distance(to: here) }
                last = here
                if self.meters >= meters { return }
            case .gap:
                gaps += 1
                last = nil
            case .state, .grant, .disconnected, .refused: break
            @unknown default: break
            }
        }
    }
}
