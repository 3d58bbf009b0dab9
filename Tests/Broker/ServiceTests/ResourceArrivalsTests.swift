import Devices
import Platform
import Readings
import Service
import Testing
import Varlink

/// Resources that arrive while the broker is running, as seen by a client.
@Suite(.timeLimit(.minutes(30))) struct ResourceArrivalsTests {
    private func arrival(_ name: String, _ start: SharedWakeEvent? = nil) throws -> ResourceArrival {
        let name = try #require(ResourceName(name))
        return ResourceArrival(name: name, kind: .acceleration, isSimulated: true) { _ in start?.signal() }
    }

    private func names(_ client: inout BrokerClient) throws -> [String] {
        try client.answer().objects("resources").map { try $0.string("name") }
    }

    @Test("an announced resource is started once, served, and sent to watchers of the list")
    func announced() throws {
        // Watchers are informed now and then.
        let broker = try ServedBroker(timePasses: true)
        var watcher = try BrokerClient(broker)
        watcher.send("ListResources", mode: .more)
        #expect(try names(&watcher) == ["accelerometer", "orientation", "tilt"])
        let start = try SharedWakeEvent()
        broker.arrivals.announce(try arrival("accelerometer:1", start))
        #expect(try names(&watcher) == ["accelerometer", "orientation", "tilt", "accelerometer:1"])
        #expect(start.isSignalled)
        start.clear()
        broker.arrivals.announce(try arrival("accelerometer:1", start))
        broker.arrivals.announce(try arrival("accelerometer:2"))
        #expect(try names(&watcher) == ["accelerometer", "orientation", "tilt", "accelerometer:1", "accelerometer:2"])
        #expect(!start.isSignalled)
    }

    @Test("a resource whose thread cannot be started is served when it is announced again")
    func notStarted() throws {
        let broker = try ServedBroker()
        let name = try #require(ResourceName("accelerometer:1"))
        broker.arrivals.announce(
            ResourceArrival(name: name, kind: .acceleration, isSimulated: true) { (_) throws(SystemError) in
                throw SystemError("pthread_create", code: 11)
            })
        try expectServedWhenAnnouncedAgain(broker)
    }

    @Test("a resource that epoll cannot watch is served when it is announced again")
    func notWatched() throws {
        // The first call of epoll_ctl after the loop has started.
        let broker = try ServedBroker(faults: FaultScript(.control, from: 1, with: 12))
        let start = try SharedWakeEvent()
        broker.arrivals.announce(try arrival("accelerometer:1", start))
        try expectServedWhenAnnouncedAgain(broker)
        #expect(!start.isSignalled, "no thread is started for what is not served")
    }

    private func expectServedWhenAnnouncedAgain(_ broker: ServedBroker) throws {
        var client = try BrokerClient(broker)
        try client.settle()
        client.send("ListResources")
        #expect(try names(&client) == ["accelerometer", "orientation", "tilt"])
        let start = try SharedWakeEvent()
        broker.arrivals.announce(try arrival("accelerometer:1", start))
        try client.settle()
        client.send("ListResources")
        #expect(try names(&client) == ["accelerometer", "orientation", "tilt", "accelerometer:1"])
        #expect(start.isSignalled)
        start.clear()
    }

    @Test("the number of resources is bounded")
    func bounded() throws {
        let broker = try ServedBroker(timePasses: true)
        var watcher = try BrokerClient(broker)
        watcher.send("ListResources", mode: .more)
        for number in 1...Limits.resources + 10 { broker.arrivals.announce(try arrival("accelerometer:\(number)")) }
        broker.arrivals.announce(try arrival("accelerometer"))
        var last: [String] = []
        while last.count < Limits.resources { last = try names(&watcher) }
        var client = try BrokerClient(broker)
        try client.settle()
        client.send("ListResources")
        #expect(try names(&client) == last)
    }
}
