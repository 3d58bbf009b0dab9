import SensorBroker

/// A thousand managers share one connection and one subscription a resource.
enum CheapManagers {
    static func run() async throws {
        let managers = (0..<1000).map { _ in Accelerometer(updateInterval: .milliseconds(20)) }
        let iterators = managers.map { $0.readings.makeAsyncIterator() }
        for var iterator in iterators { _ = try await iterator.next() }
        let usage = Broker.shared.usage
        print(
            "\(usage.listeners) listen through \(usage.connections) connection to \(usage.subscriptions) subscription")
        try hold("one connection, one subscription", usage.connections == 1 && usage.subscriptions == 1)
        try hold("each knows the newest reading", managers.allSatisfy { $0.latest != nil })
        withExtendedLifetime(iterators) {}
    }
}
