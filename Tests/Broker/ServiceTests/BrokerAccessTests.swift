import Platform
import Readings
import Testing
import Varlink

@Suite("A broker whose policy") struct BrokerAccessTests {
    private let denied = VarlinkError.permissionDenied

    private func refusal(_ reply: Reply) -> VarlinkError? {
        guard case .failure(let error) = reply else { return nil }
        return error
    }

    @Test("is not loaded shows nothing to anybody and refuses all reads, even of its own user")
    func notLoaded() throws {
        let broker = try ServedBroker(isOpen: false)
        try broker.open(intervalNanoseconds: 10_000_000)
        var client = try BrokerClient(broker)
        client.send("ListResources")
        #expect(try client.answer().array("resources").isEmpty)
        client.send("Read", ["resource": "accelerometer"])
        #expect(refusal(try client.reply()) == denied)
        client.send("Subscribe", ["requests": [["resource": "accelerometer"]]], mode: .more)
        #expect(refusal(try client.reply()) == denied)
        client.send("Read", ["resource": "nothing"])
        #expect(refusal(try client.reply())?.name == "io.sensorbroker.Broker.NoSuchResource")
    }

    @Test("changes refuses waiting reads, ends streams with a reason and informs watchers of the list")
    func changes() throws {
        let broker = try ServedBroker()
        try broker.open(intervalNanoseconds: 10_000_000)
        var reader = try BrokerClient(broker)
        var stream = try BrokerClient(broker)
        var watcher = try BrokerClient(broker)
        watcher.send("ListResources", mode: .more)
        #expect(try watcher.answer().array("resources").count == 3)
        stream.send("Subscribe", ["requests": [["resource": "accelerometer"]]], mode: .more)
        _ = try stream.answer()
        reader.send("Read", ["resource": "accelerometer", "timeoutNanoseconds": 60_000_000_000])
        var other = try BrokerClient(broker)
        try other.settle()
        broker.denyAll()
        #expect(refusal(try reader.reply()) == denied)
        var ended: String?
        while ended == nil { ended = try stream.answer().optionalString("ended") }
        #expect(ended == "permissionDenied")
        var left = 2
        while left > 0 { left = try watcher.answer().array("resources").count }
    }
}
