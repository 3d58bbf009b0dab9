import SensorBroker

/// What happens to the connection and to the devices is told.
enum Lifecycle {
    static func run() async throws {
        let missing = Broker(socket: "/nonexistent")
        var told: [LifecycleEvent] = []
        for await event in missing.lifecycle {
            told.append(event)
            if case .reconnecting(_, let attempt) = event, attempt >= 2 { break }
        }
        for event in told { print(event) }
        try hold(
            "the first word is that it is not there",
            told.first == .disconnected(.brokerMissing(paths: ["/nonexistent"])))

        for await event in Broker.shared.lifecycle {
            guard case .resource(let resource) = event else { continue }
            print("\(resource.name) is \(resource.state.name)")
            if resource.name == .accelerometer { break }
        }
        try hold("the state of the resources is told", true)
    }
}
