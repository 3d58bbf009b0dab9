import SensorBroker

/// A shared value by its key path, and another one in its place for tests.
enum LatestValue {
    struct Dashboard {
        @Latest(\.location) var location
        @Latest(\Settings.unit) var unit

        var text: String { "\(location?.speedMetersPerSecond ?? 0) \(unit)" }
    }

    /// Any shared type of one's own will do.
    final class Settings: SharedInstance, Sendable {
        static let shared = Settings()
        let unit = "m/s"
    }

    static func run() async throws {
        let dashboard = Dashboard()
        while dashboard.location == nil { try await Task.sleep(for: .milliseconds(50)) }
        print("moving at \(dashboard.text)")

        var parked = Dashboard()
        var here = Location(fix: .twoDimensional)
        here.speedMetersPerSecond = 0
        parked.$location.override = here
        parked.$unit.override = "knots"
        try hold("the override is seen by its instance", parked.text == "0.0 knots")
        try hold("and by no other", dashboard.text.hasSuffix("m/s"))
    }
}
