import SensorBroker

/// A subscription that nobody listens to is kept for the next one, until it is given up.
enum Reuse {
    static func run() async throws {
        let broker = Broker.shared
        let request = Accelerometer(updateInterval: .milliseconds(30)).request
        for try await _ in Accelerometer(updateInterval: .milliseconds(30)).readings { break }
        for try await _ in LocationManager().readings { break }
        try hold("two are kept warm", broker.usage.unusedSubscriptions == 2)
        for try await _ in Accelerometer(updateInterval: .milliseconds(30)).readings { break }
        try hold("one was used again", broker.usage.subscriptions == 2)
        try hold("by hand: one", broker.release(.one(request)) == 1)
        try hold("all of a resource", broker.release(.resource(.location)) == 1)
        try hold("all", broker.release(.all) == 0 && broker.usage.subscriptions == 0)
        try hold("the newest readings stay", broker.location != nil && broker.acceleration != nil)
    }
}
