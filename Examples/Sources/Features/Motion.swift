import SensorBroker
import SensorBrokerSimulation

/// Several sensors at one time.
enum Motion {
    static func run() async throws {
        let host = try SimulatedHost(scenarioText: "[accelerometer]\n[gyroscope]\n")
        let broker = Broker(.simulated(host))
        var complete = 0
        for try await motion in broker.aligned(Acceleration.self, AngularVelocity.self, every: .milliseconds(10)) {
            let (acceleration, rotation) = motion.value
            guard let rotation else { continue }
            print("\(acceleration) while it turned by \(rotation)")
            complete += 1
            if complete == 5 { break }
        }
        try hold("one subscription has both", broker.usage.subscriptions == 1)
    }
}
