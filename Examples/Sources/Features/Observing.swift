import Observation
import SensorBroker
import SensorBrokerSimulation

/// What shows a value is told when it changes; a test gives it another broker.
enum Observing {
    /// A model of a view, which makes its own manager.
    @Observable final class Dashboard {
        private let accelerometer = Accelerometer(updateInterval: .milliseconds(20))
        var title = "tilt"

        init() { accelerometer.startUpdates() }

        var text: String { "\(title): \(accelerometer.latest.map { "\($0.value)" } ?? "unknown")" }
    }

    /// Waits until what was read has changed.
    private static func nextChange(of read: () -> Void) async {
        await withCheckedContinuation { continuation in withObservationTracking(read) { continuation.resume() } }
    }

    static func run() async throws {
        let dashboard = Dashboard()
        var texts: Set<String> = []
        while texts.count < 4 { await nextChange { texts.insert(dashboard.text) } }
        for text in texts.sorted() { print(text) }
        try hold("a model that reads a manager is observed with it", true)

        let simulated = Broker(.mock)
        let replaced = Broker.withCurrent(simulated) { Dashboard() }
        try hold("code that makes its own manager gets the broker of the test", simulated.usage.managers == 1)
        Broker.withCurrent(simulated) { _ = dashboard.text }
        try hold("a manager that was there before is another one in the test", simulated.usage.managers == 2)
        withExtendedLifetime(replaced) {}
    }
}
