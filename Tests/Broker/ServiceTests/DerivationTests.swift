import Foundation
import Locking
import Platform
import Readings
import Testing
import Varlink

@testable import Devices

/// The orientation and the tilt, which are derived from the accelerometer's readings, as seen by clients.
@Suite(.timeLimit(.minutes(30))) struct DerivationTests {
    private static let flat = Acceleration(x: 0, y: 0, z: 9.81)
    private static let upright = Acceleration(x: 0, y: 9.81, z: 0)
    private static let turned = Acceleration(x: 9.81, y: 0, z: 0)

    private func subscribe(_ broker: ServedBroker, intervalNanoseconds: Int64? = nil) throws -> BrokerClient {
        var members: [(String, JSONValue)] = [("resource", .string("orientation"))]
        if let intervalNanoseconds { members.append(("intervalNanoseconds", .integer(intervalNanoseconds))) }
        var client = try BrokerClient(broker)
        client.send("Subscribe", ["requests": .array([.object(JSONObject(members))])], mode: .more)
        _ = try client.answer()
        return client
    }

    /// Subscribes to several, each with its name as the label.
    private func subscribe(_ broker: ServedBroker, labelling names: [String]) throws -> BrokerClient {
        var client = try BrokerClient(broker)
        let requests = names.map { name in
            JSONValue.object(
                JSONObject([
                    ("resource", .string(name)), ("label", .string(name)),
                    ("intervalNanoseconds", .integer(100_000_000)),
                ]))
        }
        client.send("Subscribe", ["requests": .array(requests)], mode: .more)
        _ = try client.answer()
        return client
    }

    /// The next orientations in a stream, without the states in between.
    private func orientations(_ client: inout BrokerClient, _ count: Int) throws -> [String] {
        var told: [String] = []
        while told.count < count {
            let readings = try client.answer().optionalObjects("readings") ?? []
            told += try readings.compactMap { try $0.optionalString("orientation") }
        }
        return told
    }

    /// The next readings in a stream, by message, without the states in between: words of the orientation, and whole degrees.
    private func told(_ client: inout BrokerClient, _ count: Int) throws -> [[String]] {
        var told: [[String]] = []
        while told.joined().count < count {
            guard let readings = try client.answer().optionalObjects("readings") else { continue }
            told.append(try readings.map { try $0.optionalString("orientation") ?? "\(degrees($0))°" })
        }
        return told
    }

    private func degrees(_ reading: Parameters) throws -> Int {
        switch try reading.object("values").object("columns").array("value").first {
        case .number(let number): Int(number.rounded())
        case .integer(let number): Int(number)
        default: throw CocoaError(.coderInvalidValue)
        }
    }

    private func state(_ client: inout BrokerClient, until wanted: String) throws {
        while true {
            let resources = try client.answer().optionalObjects("resources") ?? []
            if try resources.contains(where: { try $0.string("state") == wanted }) { return }
        }
    }

    @Test("it is sent at the beginning and when it changes, and not in between")
    func changes() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        let felt = [
            Self.flat, Self.flat, Self.upright, Self.upright, Self.flat, Self.upright, Self.turned, Self.upright,
        ]
        for (index, value) in felt.enumerated() { broker.yield(value, sequence: UInt64(index)) }
        let clientTold = try orientations(&client, 4)
        #expect(clientTold == ["undefined", "normal", "right-up", "normal"])
    }

    @Test("a client that asks for both, with labels, gets it in one message with the acceleration it follows from")
    func oneMessage() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker, labelling: ["accelerometer", "orientation"])
        var other = try BrokerClient(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        for (index, value) in [Self.upright, Self.upright, Self.turned].enumerated() {
            broker.yield(value, sequence: UInt64(index))
            try other.settle()
        }
        var messages: [[String]] = []
        while messages.count < 3 {
            guard let readings = try client.answer().optionalObjects("readings") else { continue }
            messages.append(try readings.map { try $0.string("label") })
        }
        let both = ["accelerometer", "orientation"]
        #expect(messages == [both, ["accelerometer"], both])
    }

    @Test(
        "if the opening of the device is heard in the same turn as its first reading, the new state is told between the two"
    )
    func openedInTheSameTurn() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker, labelling: ["accelerometer", "orientation"])
        try broker.keepingLoopBusy {
            broker.sendOpening(intervalNanoseconds: 100_000_000)
            broker.yield(Self.upright, sequence: 0)
        }
        var told: [[String]] = []
        while told.last != ["orientation"] {
            let message = try client.answer()
            let readings = try message.optionalObjects("readings")?.map { try $0.string("label") }
            let states = try message.optionalObjects("resources")?.map {
                try "\($0.string("name")) \($0.string("state"))"
            }
            told.append((readings ?? []) + (states ?? []))
        }
        #expect(told.suffix(3) == [["accelerometer"], ["orientation active"], ["orientation"]])
    }

    /// The acceleration of an upright device whose screen then leans back by an angle.
    private static func leaning(_ degrees: Double) -> Acceleration {
        let angle = degrees * .pi / 180
        return Acceleration(x: 0, y: 9.81 * cos(angle), z: 9.81 * sin(angle))
    }

    @Test("the tilt is sent first and when it has changed by five degrees, in one message with the orientation")
    func tilt() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker, labelling: ["orientation", "tilt"])
        var other = try BrokerClient(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        let felt = [
            Self.leaning(0), Self.leaning(4), Self.leaning(30), Self.leaning(26), Self.turned, Self.leaning(-90),
        ]
        for (index, value) in felt.enumerated() {
            broker.yield(value, sequence: UInt64(index))
            try other.settle()
        }
        #expect(try told(&client, 6) == [["normal", "0°"], ["30°"], ["right-up", "0°"], ["-90°"]])
    }

    @Test("the loop is not woken while neither the orientation nor the tilt changes, for both and for the tilt alone")
    func bothQuiet() throws {
        for names in [["orientation", "tilt"], ["tilt"]] {
            let broker = try ServedBroker()
            var client = try BrokerClient(broker)
            let requests = names.map { JSONValue.object(JSONObject([("resource", .string($0))])) }
            client.send("Subscribe", ["requests": .array(requests)], mode: .more)
            _ = try client.answer()
            try broker.open(intervalNanoseconds: 100_000_000)
            broker.yield(Self.upright, sequence: 0)
            _ = try told(&client, names.count)
            var other = try BrokerClient(broker)
            try other.settle()
            for index: UInt64 in 1...20 { broker.yield(Self.leaning(4), sequence: index) }
            #expect(broker.channel.newestQuiet != nil)
            #expect(!Wait.untilReadable(broker.channel.wakeDescriptor, nanoseconds: 0).first)
            broker.yield(Self.leaning(-20), sequence: 21)
            #expect(try told(&client, 1) == [["-20°"]])
        }
    }

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

    /// What the list of resources says of the orientation.
    private func orientation(_ broker: ServedBroker) throws -> Parameters {
        var asker = try BrokerClient(broker)
        asker.send("ListResources")
        return try #require(try asker.answer().objects("resources").first { try $0.string("name") == "orientation" })
    }

    private func demand(of channel: DeviceChannel) -> Demand? { channel.takeCommands(isSignalled: false).demand }

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
        var client = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        #expect(try orientations(&client, 1) == ["normal"])
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
            let told = try asker.answer().objects("resources").first { try $0.string("name") == name }
            #expect(try told?.string("state") == "unavailable" && told?.string("reason") == "all are in the base")
        }
        let unserved = ResourceName("accelerometer:7")
        broker.arrivals.announce(DerivationSource(.acceleration, unserved, because: "in the display by its label"))
        let orientation = try orientation(broker)
        #expect(try orientation.string("reason") == "accelerometer:7 is not served")
        #expect(try orientation.string("description") == "from no accelerometer")
        broker.arrivals.announce(.first(.acceleration))
        try state(&client, until: "active")
        broker.yield(Self.turned, sequence: 1)
        #expect(try orientations(&client, 1) == ["right-up"])
    }

    @Test("an accelerometer without a scale turns the screen, and nobody gets its counts")
    func unscaled() throws {
        let broker = try ServedBroker()
        var counts = try subscribe(broker, labelling: ["accelerometer"])
        var client = try subscribe(broker)
        var profile = DeviceProfile(
            offered: .discrete([100_000_000]), intervalNanoseconds: 100_000_000, description: nil, simulated: true)
        profile.unscaled = [Quantity(.acceleration): "it has no usable scale"]
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
        let told = try asker.answer().objects("resources").map { "\(try $0.string("name")) \(try $0.string("state"))" }
        #expect(told == ["accelerometer unavailable", "orientation active", "tilt idle"])
        // With a scale, both are there.
        profile.unscaled = [:]
        broker.channel.send(.profile(profile))
        broker.yield(Self.upright, sequence: 3)
        var readings: [Parameters] = []
        while readings.isEmpty { readings += try counts.answer().optionalObjects("readings") ?? [] }
        #expect(try readings.first?.integer("sequence") == 3)
        #expect(try orientations(&client, 1) == ["normal"])
        // The device is lost: so is what follows from it.
        profile.unscaled = [Quantity(.acceleration): "it has no usable scale"]
        broker.channel.send(.profile(profile))
        broker.channel.send(.state(.unavailable(reason: "unplugged")))
        try state(&client, until: "unavailable")
    }

    @Test("of a chip of which nobody says how it is mounted, it is what iio-sensor-proxy says, whoever comes first")
    func unmounted() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000, along: .chip)
        broker.yield(Self.upright, sequence: 0)
        broker.yield(Self.turned, sequence: 1)
        let told = try orientations(&client, 2)
        #expect(told == ["bottom-up", "left-up"])
        // Opened again, by another driver: now the mounting is known.
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        let toldAgain = try orientations(&client, 1)
        #expect(toldAgain == ["normal"])

        let other = try ServedBroker()
        try other.open(intervalNanoseconds: 100_000_000, along: .chip)
        var late = try subscribe(other)
        other.yield(Self.upright, sequence: 0)
        let lateTold = try orientations(&late, 1)
        #expect(lateTold == ["bottom-up"])
    }

    @Test(
        "a later client gets the present orientation, and so does a single read",
        arguments: [nil, 0, 3_600_000_000_000])
    func latecomers(intervalNanoseconds: Int64?) throws {
        let broker = try ServedBroker()
        var first = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        let firstTold = try orientations(&first, 1)
        #expect(firstTold == ["normal"])
        for index: UInt64 in 1...50 { broker.yield(Self.flat, sequence: index) }
        var second = try subscribe(broker, intervalNanoseconds: intervalNanoseconds)
        let secondTold = try orientations(&second, 1)
        #expect(secondTold == ["normal"])
        var asker = try BrokerClient(broker)
        asker.send("Read", ["resource": .string("orientation")])
        let answer = try asker.answer().object("reading").string("orientation")
        #expect(answer == "normal")
    }

    @Test("the accelerometer runs no faster than those who ask for the orientation want it, and once a second at least")
    func pace() throws {
        let broker = try ServedBroker()
        broker.channel.send(
            .profile(
                DeviceProfile(
                    offered: .range(shortestNanoseconds: 1_000_000, longestNanoseconds: 10_000_000_000),
                    intervalNanoseconds: nil, description: nil, simulated: true)))
        let hour = try subscribe(broker, intervalNanoseconds: 3_600_000_000_000)
        #expect(try demand(on: broker) == 1_000_000_000)
        let slow = try subscribe(broker, intervalNanoseconds: 800_000_000)
        #expect(try demand(on: broker) == 800_000_000)
        let usual = try subscribe(broker)
        #expect(try demand(on: broker) == 100_000_000)
        // They are still there.
        hour.send("ListResources")
        slow.send("ListResources")
        usual.send("ListResources")
    }

    private func demand(on broker: ServedBroker) throws -> Int64? {
        var other = try BrokerClient(broker)
        try other.settle()
        return broker.channel.takeCommands(isSignalled: false).demand?.intervalNanoseconds
    }

    @Test("the loop is not woken for what leaves the orientation as it is, and whoever asks gets the newest")
    func quiet() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        #expect(try orientations(&client, 1) == ["normal"])
        var other = try BrokerClient(broker)
        try other.settle()
        for index: UInt64 in 1...20 { broker.yield(Self.flat, sequence: index) }
        #expect(broker.channel.newestQuiet != nil)
        #expect(!Wait.untilReadable(broker.channel.wakeDescriptor, nanoseconds: 0).first)
        try other.settle()
        #expect(broker.channel.newestQuiet == nil, "whatever wakes the loop, it takes them first")
        broker.yield(Self.flat, sequence: 21)
        #expect(broker.channel.newestQuiet != nil)
        broker.yield(Self.turned, sequence: 22)
        #expect(try orientations(&client, 1) == ["right-up"])
        // A client that takes every sample ends the quiet.
        other.send("Subscribe", ["requests": [["resource": "accelerometer"]]], mode: .more)
        _ = try other.answer()
        var third = try BrokerClient(broker)
        try third.settle()
        broker.yield(Self.turned, sequence: 23)
        while try other.answer().optionalObjects("readings")?.last?.integer("sequence") != 23 {}
    }

    @Test("a single read without subscribers waits for the accelerometer's next reading")
    func readOnce() throws {
        let broker = try ServedBroker()
        try broker.open(intervalNanoseconds: 100_000_000)
        for _ in 1...2 {
            var asker = try BrokerClient(broker)
            asker.send("Read", ["resource": .string("orientation")])
            var other = try BrokerClient(broker)
            try other.settle()
            broker.yield(Self.turned, sequence: 1)
            let answer = try asker.answer().object("reading").string("orientation")
            #expect(answer == "right-up")
        }
    }

    @Test("a lost accelerometer is a lost orientation, which starts again when it is back")
    func lost() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        let clientTold = try orientations(&client, 1)
        #expect(clientTold == ["normal"])
        broker.channel.send(.state(.unavailable(reason: "it was unplugged")))
        try state(&client, until: "unavailable")
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.flat, sequence: 0)
        let toldAnew = try orientations(&client, 1)
        #expect(toldAnew == ["undefined"])
    }
}
