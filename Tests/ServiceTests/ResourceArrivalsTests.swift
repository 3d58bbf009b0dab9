import Devices
import Platform
import Readings
import Testing
import Varlink

/// Resources that come while the broker runs, as a client sees them.
@Suite(.timeLimit(.minutes(10))) struct ResourceArrivalsTests {
    private final class Starts: Sendable {
        let event: WakeEvent
        init() throws { event = try WakeEvent() }

        /// Whether there was one since the last call.
        func take() -> Bool {
            defer { event.clear() }
            return Wait.untilReadable(event.descriptor, nanoseconds: 0).first
        }
    }

    private func arrival(_ name: String, _ starts: Starts? = nil) throws -> ResourceArrival {
        let name = try #require(ResourceName(name))
        return ResourceArrival(name: name, kind: .acceleration, isSimulated: true) { _ in starts?.event.ring() }
    }

    private func names(_ client: inout BrokerClient) throws -> [String] {
        try client.answer().objects("resources").map { try $0.string("name") }
    }

    @Test("a resource that is announced is started once, served, and told to those who watch the list")
    func announced() throws {
        let broker = try ServedBroker()
        var watcher = try BrokerClient(broker)
        watcher.send("ListResources", mode: .more)
        #expect(try names(&watcher) == ["accelerometer", "orientation"])
        let starts = try Starts()
        broker.arrivals.announce(try arrival("accelerometer:1", starts))
        #expect(try names(&watcher) == ["accelerometer", "orientation", "accelerometer:1"])
        #expect(starts.take())
        broker.arrivals.announce(try arrival("accelerometer:1", starts))
        broker.arrivals.announce(try arrival("accelerometer:2"))
        #expect(try names(&watcher) == ["accelerometer", "orientation", "accelerometer:1", "accelerometer:2"])
        #expect(!starts.take())
    }

    @Test("there is an end to how many are served")
    func bounded() throws {
        let broker = try ServedBroker()
        var watcher = try BrokerClient(broker)
        watcher.send("ListResources", mode: .more)
        for number in 1...100 { broker.arrivals.announce(try arrival("accelerometer:\(number)")) }
        broker.arrivals.announce(try arrival("accelerometer"))
        var last: [String] = []
        while last.count < 32 { last = try names(&watcher) }
        var client = try BrokerClient(broker)
        try client.settle()
        client.send("ListResources")
        #expect(try names(&client) == last)
    }
}
