import Devices
import Readings
import Testing
import Varlink

@Suite("A broker's streams", .timeLimit(.minutes(30))) struct BrokerStreamTests {
    private let millisecond: Int64 = 1_000_000

    @Test("account for every reading once if the client catches up while a batch is being gathered")
    func catchesUpWithinABatch() throws {
        let broker = try ServedBroker()
        try broker.open(intervalNanoseconds: millisecond)
        var stream = try BrokerClient(broker)
        var other = try BrokerClient(broker)
        try other.settle()
        stream.send(
            "Subscribe",
            ["requests": [["resource": "accelerometer", "intervalNanoseconds": 0, "batchNanoseconds": 100_000_000]]],
            mode: .more)
        try other.settle()
        // More batches than its socket holds, by half a batch.
        broker.yield(0..<7_050, every: millisecond)
        try other.settle()
        var account = Account()
        while account.gaps == 0 { account.add(try stream.answer()) }
        broker.yield(7_050..<7_100, every: millisecond)
        while account.last < 7_099 { account.add(try stream.answer()) }
        #expect(account.isInOrder)
        #expect(account.readings + account.gaps == 7_100)
    }

    @Test("get samples that arrive late at once in one reply, even if another client gathers batches")
    func lateBurstBesideBatches() throws {
        let broker = try ServedBroker()
        try broker.open(intervalNanoseconds: millisecond)
        var stream = try BrokerClient(broker)
        let neighbour = try BrokerClient(broker)
        var other = try BrokerClient(broker)
        try other.settle()
        stream.send("Subscribe", ["requests": [["resource": "accelerometer", "intervalNanoseconds": 0]]], mode: .more)
        neighbour.send(
            "Subscribe",
            ["requests": [["resource": "accelerometer", "intervalNanoseconds": 0, "batchNanoseconds": 5_000_000]]],
            mode: .more)
        try other.settle()
        broker.handOver(1_001, every: millisecond)
        var replies: [Int64] = []
        while replies.reduce(0, +) < 1_001 {
            var account = Account()
            account.add(try stream.answer())
            if account.readings > 0 { replies.append(account.readings) }
        }
        // The first is sent alone, to a client that has just come.
        #expect(replies.count <= 2, "\(replies)")
    }

    @Test("follow a device whose properties turn out to be different, and report that")
    func regrants() throws {
        let broker = try ServedBroker()
        var stream = try BrokerClient(broker)
        stream.send(
            "Subscribe", ["requests": [["resource": "accelerometer", "intervalNanoseconds": 5_000_000]]], mode: .more)
        let granted = try stream.answer().objects("grants")[0].integer("intervalNanoseconds")
        #expect(granted == 5_000_000, "as far as is known before the device was looked for")
        try broker.open(intervalNanoseconds: 20_000_000)
        var announced: Int64?
        while announced == nil {
            let grants = try stream.answer().optionalObjects("grants") ?? []
            announced = try grants.first?.integer("intervalNanoseconds")
        }
        #expect(announced == 20_000_000)
        broker.yield(0..<3, every: 20_000_000)
        var account = Account()
        while account.last < 2 { account.add(try stream.answer()) }
        #expect(account.readings == 3)
    }

    @Test("get each of the states that follow each other while the loop is busy")
    func eachState() throws {
        let broker = try ServedBroker()
        try broker.open(intervalNanoseconds: millisecond)
        var stream = try BrokerClient(broker)
        stream.send("Subscribe", ["requests": [["resource": "accelerometer"]]], mode: .more)
        _ = try stream.answer()
        // As many as its socket holds: of the rest, the newest of each kind is sent later.
        let reasons = (0..<6).map { "round \($0)" }
        for reason in reasons {
            broker.channel.send(.state(.unavailable(reason: reason)))
            broker.channel.send(.state(.active))
        }
        var received: [String] = []
        while received.last != reasons.last {
            for resource in try stream.answer().optionalObjects("resources") ?? [] {
                if let reason = try resource.optionalString("reason") { received.append(reason) }
            }
        }
        #expect(received == reasons)
    }

    @Test("refuse a change that removes a resource twice, or asks for one that it removes")
    func contradictoryChange() throws {
        let broker = try ServedBroker()
        try broker.open(intervalNanoseconds: millisecond)
        var stream = try BrokerClient(broker)
        var other = try BrokerClient(broker)
        stream.send("Subscribe", ["requests": [["resource": "accelerometer"]]], mode: .more)
        let name = JSONValue.string(try stream.answer().string("subscription"))
        other.send("Modify", ["subscription": name, "remove": ["accelerometer", "accelerometer"]])
        #expect(try other.reply() == .failure(.invalidParameter("remove")))
        other.send(
            "Modify",
            ["subscription": name, "requests": [["resource": "accelerometer"]], "remove": ["accelerometer"]])
        #expect(try other.reply() == .failure(.invalidParameter("remove")))
        other.send("Modify", ["subscription": name, "remove": ["accelerometer"]])
        #expect(try other.answer().integer("revision") == 2)
    }

    @Test("send what was gathered before their end")
    func endsWithTheBatch() throws {
        let broker = try ServedBroker()
        try broker.open(intervalNanoseconds: millisecond)
        var stream = try BrokerClient(broker)
        var other = try BrokerClient(broker)
        stream.send(
            "Subscribe",
            [
                "requests": [
                    ["resource": "accelerometer", "intervalNanoseconds": 0, "batchNanoseconds": 1_000_000_000]
                ]
            ], mode: .more)
        _ = try stream.answer()
        broker.yield(0..<10, every: millisecond)
        try other.settle()
        broker.shutDown()
        var account = Account()
        var ended: String?
        while ended == nil {
            let reply = try stream.answer()
            account.add(reply)
            ended = try reply.optionalString("ended")
        }
        #expect(ended == "shutdown")
        #expect(account.readings == 10)
    }

    @Test("report what was missed of a resource that is no longer part of them")
    func tellsLossOfRemoved() throws {
        let broker = try ServedBroker()
        try broker.open(intervalNanoseconds: millisecond)
        var stream = try BrokerClient(broker)
        var other = try BrokerClient(broker)
        try other.settle()
        stream.send(
            "Subscribe", ["requests": [["resource": "accelerometer", "intervalNanoseconds": 0]]], mode: .more)
        let name = JSONValue.string(try stream.answer().string("subscription"))
        // One reply each, until the socket has long been full.
        for sequence in 0..<500 as Range<UInt64> {
            broker.yield(sequence..<sequence + 1, every: millisecond)
            try other.settle()
        }
        other.send("Modify", ["subscription": name, "remove": ["accelerometer"]])
        #expect(try other.answer().integer("revision") == 2)
        var account = Account()
        var revision: Int64?
        while revision == nil {
            let reply = try stream.answer()
            account.add(reply)
            revision = try reply.optionalInteger("revision")
        }
        #expect(account.gaps > 0)
        #expect(account.readings + account.gaps == 500)
    }
}
