import SensorBroker

/// A shared value by its key path, and another one in its place for tests.
enum LatestValue {
    struct Dashboard {
        @Latest(\.location) var location
        @Latest(Accelerometer.self, \.value.z, every: .milliseconds(20)) var lift
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
        while dashboard.location == nil || dashboard.lift == nil { try await Task.sleep(for: .milliseconds(50)) }
        print("moving at \(dashboard.text), lifted with \(dashboard.lift ?? 0) m/s²")

        var parked = Dashboard()
        var here = Location(fix: .twoDimensional)
        here.speedMetersPerSecond = 0
        parked.$location.override(with: here)
        parked.$unit.override(with: "knots")
        try hold("the override is seen by its instance", parked.text == "0.0 knots")
        try hold("and by no other", dashboard.text.hasSuffix("m/s"))
        parked.$location.override(with: nil)
        try hold("unknown is a value", parked.location == nil)
        parked.$location.removeOverride()
        try hold("without an override it is the shared value", parked.location != nil)
    }
}
