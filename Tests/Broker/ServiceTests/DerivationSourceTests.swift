import Locking
import Platform
import Readings
import Testing
import Varlink

@testable import Devices

/// Which accelerometer the orientation and the tilt are derived from, and what they are without one.
@Suite(.timeLimit(.minutes(30))) struct DerivationSourceTests: DerivationSuite {
    /// Serves a further accelerometer; returns the channel of its device, which is open.
    private func further(_ broker: ServedBroker) throws -> DeviceChannel {
        let started = Locked<DeviceChannel?>(nil)
        let name = try #require(ResourceName("accelerometer:1"))
        broker.arrivals.announce(
            ResourceArrival(name: name, kind: .acceleration, isSimulated: true) { channel in
                started.withLock { $0 = channel }
            })
        var other = try BrokerClient(broker)
        try other.settle()
        return try #require(started.withLock { $0 })
    }

    /// A client that has received that the screen is upright, by the broker's accelerometer.
    private func uprightClient(_ broker: ServedBroker) throws -> BrokerClient {
        var client = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        #expect(try orientations(&client, 1) == ["normal"])
        return client
    }

    /// What the list of resources has of the orientation.
    private func orientation(_ broker: ServedBroker) throws -> Parameters {
        var asker = try BrokerClient(broker)
        asker.send("ListResources")
        return try #require(try asker.answer().objects("resources").first { try $0.string("name") == "orientation" })
    }

    private func demand(of channel: DeviceChannel) -> Demand? { channel.commands.demand }

    private func open(_ channel: DeviceChannel) {
        channel.send(.opened)
        channel.send(
            .profile(
                DeviceProfile(
                    offered: .discrete([100_000_000]), intervalNanoseconds: 100_000_000, description: nil,
                    simulated: true)))
        channel.send(.state(.active))
    }

    private func yield(_ value: Acceleration, _ sequence: UInt64, on channel: DeviceChannel) {
        let timestamp = BootTime(nanoseconds: Clock.bootNanoseconds() + 90_000_000_000 + Int64(sequence) * 200_000_000)
        channel.send(.sample(Sample(sequence: sequence, timestamp: timestamp, measurement: .values(value))))
    }

    @Test("once another accelerometer turns out to be the screen's, it follows that, and the former is not in use")
    func otherSource() throws {
        let broker = try ServedBroker()
        var client = try uprightClient(broker)
        let channel = try further(broker)
        #expect(demand(of: broker.channel) != nil && demand(of: channel) == nil)
        broker.arrivals.announce(
            DerivationSource(.acceleration, ResourceName("accelerometer:1"), because: "in the display by its label"))
        var other = try BrokerClient(broker)
        try other.settle()
        #expect(demand(of: broker.channel) == nil && demand(of: channel) != nil)
        open(channel)
        broker.yield(Self.flat, sequence: 1)
        broker.yield(Self.leaning(-10), sequence: 2)
        yield(Self.turned, 0, on: channel)
        yield(Self.upright, 1, on: channel)
        #expect(try orientations(&client, 2) == ["right-up", "normal"])
        #expect(try orientation(broker).string("description") == "from accelerometer:1 (in the display by its label)")
    }

    @Test("if that one is read already, its first reading is a change, whatever the former one was")
    func openSource() throws {
        let broker = try ServedBroker()
        var client = try uprightClient(broker)
        let channel = try further(broker)
        var reader = try BrokerClient(broker)
        reader.send(
            "Subscribe", ["requests": [["resource": "accelerometer:1", "intervalNanoseconds": 0]]], mode: .more)
        _ = try reader.answer()
        open(channel)
        yield(Self.upright, 0, on: channel)
        var other = try BrokerClient(broker)
        try other.settle()
        broker.arrivals.announce(
            DerivationSource(.acceleration, ResourceName("accelerometer:1"), because: "in the display by its label"))
        var last = try BrokerClient(broker)
        try last.settle()
        yield(Self.upright, 1, on: channel)
        #expect(try orientations(&client, 1) == ["normal"])
    }

    @Test("without an accelerometer in the display it is unavailable, with the reason, until there is one")
    func noSource() throws {
        let broker = try ServedBroker()
        broker.arrivals.announce(DerivationSource(.acceleration, nil, because: "all are in the base"))
        var client = try subscribe(broker, labelling: ["orientation", "accelerometer"])
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        var readings: [String] = []
        while readings.isEmpty {
            readings += try (client.answer().optionalObjects("readings") ?? []).map { try $0.string("resource") }
        }
        #expect(readings == ["accelerometer"])
        // With and without another client: it is not waited for.
        for name in ["orientation", "tilt"] {
            var asker = try BrokerClient(broker)
            asker.send("Read", ["resource": .string(name)])
            #expect(throws: (any Error).self) { try asker.answer() }
            asker.send("ListResources")
            let one = try asker.answer().objects("resources").first { try $0.string("name") == name }
            #expect(try one?.string("state") == "unavailable" && one?.string("reason") == "all are in the base")
        }
        let unserved = ResourceName("accelerometer:7")
        broker.arrivals.announce(DerivationSource(.acceleration, unserved, because: "in the display by its label"))
        let orientation = try orientation(broker)
        #expect(try orientation.string("reason") == "accelerometer:7 is not served")
        #expect(try orientation.string("description") == "from no accelerometer")
        broker.arrivals.announce(.first(.acceleration))
        try state(&client, until: "active")
        broker.yield(Self.turned, sequence: 1)
        // The newest reading of the accelerometer counts, although it came before.
        #expect(try orientations(&client, 2) == ["normal", "right-up"])
    }

    @Test("an accelerometer without a scale turns the screen, and nobody gets its counts")
    func unscaled() throws {
        let broker = try ServedBroker()
        var counts = try subscribe(broker, labelling: ["accelerometer"])
        var client = try subscribe(broker)
        var profile = DeviceProfile(
            offered: .discrete([100_000_000]), intervalNanoseconds: 100_000_000, description: nil, simulated: true)
        profile.withheld = [Quantity(.acceleration): "it has no usable scale"]
        broker.channel.send(.opened)
        broker.channel.send(.profile(profile))
        broker.channel.send(.state(.active))
        for (index, value) in [Self.upright, Self.upright, Self.turned].enumerated() {
            broker.yield(value, sequence: UInt64(index))
        }
        #expect(try orientations(&client, 2) == ["normal", "right-up"])
        var asker = try BrokerClient(broker)
        asker.send("Read", ["resource": .string("accelerometer")])
        #expect(throws: (any Error).self) { try asker.answer() }
        asker.send("ListResources")
        let states = try asker.answer().objects("resources").map {
            "\(try $0.string("name")) \(try $0.string("state"))"
        }
        #expect(states == ["accelerometer unavailable", "orientation active", "tilt idle"])
        // With a scale, both are there.
        profile.withheld = [:]
        broker.channel.send(.profile(profile))
        broker.yield(Self.upright, sequence: 3)
        var readings: [Parameters] = []
        while readings.isEmpty { readings += try counts.answer().optionalObjects("readings") ?? [] }
        #expect(try readings.first?.integer("sequence") == 3)
        #expect(try orientations(&client, 1) == ["normal"])
        // The device is lost: so is what follows from it.
        profile.withheld = [Quantity(.acceleration): "it has no usable scale"]
        broker.channel.send(.profile(profile))
        broker.channel.send(.state(.unavailable(reason: "unplugged")))
        try state(&client, until: "unavailable")
    }

    @Test("of a chip whose mounting nobody states, it is what iio-sensor-proxy reports, whoever comes first")
    func unmounted() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000, along: .chip)
        broker.yield(Self.upright, sequence: 0)
        broker.yield(Self.turned, sequence: 1)
        let received = try orientations(&client, 2)
        #expect(received == ["bottom-up", "left-up"])
        // Opened again, by another driver: now the mounting is known.
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        let receivedAgain = try orientations(&client, 1)
        #expect(receivedAgain == ["normal"])

        let other = try ServedBroker()
        try other.open(intervalNanoseconds: 100_000_000, along: .chip)
        var late = try subscribe(other)
        other.yield(Self.upright, sequence: 0)
        let lateReceived = try orientations(&late, 1)
        #expect(lateReceived == ["bottom-up"])
    }
}
