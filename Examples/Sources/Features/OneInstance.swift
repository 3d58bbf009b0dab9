import SensorBroker
import SensorBrokerSimulation

/// One true instance, or as many as wanted.
///
/// Run with `SENSORBROKER_TRANSPORT=mock`, it needs no daemon.
enum OneInstance {
    static func run() async throws {
        let resources = try await Broker.shared.resources()
        print("the shared broker has \(resources.map(\.name.description))")
        try hold("the shared broker is always the same", Broker.shared === Broker.shared)

        let simulated = Broker(.mock)
        try hold("another one is another one", simulated !== Broker.shared)
        try hold("this one's devices are simulated", try await simulated.resources().allSatisfy(\.isSimulated))
    }
}
