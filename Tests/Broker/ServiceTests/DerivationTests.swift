import Foundation
import Platform
import Readings
import Testing
import Varlink

@testable import Devices

/// The orientation and the tilt, which are derived from the accelerometer's readings, as seen by clients.
@Suite(.timeLimit(.minutes(30))) struct DerivationTests: DerivationSuite {
    /// The next readings in a stream, by message, without the states in between: words of the orientation, and whole degrees.
    private func received(_ client: inout BrokerClient, _ count: Int) throws -> [[String]] {
        var received: [[String]] = []
        while received.joined().count < count {
            guard let readings = try client.answer().optionalObjects("readings") else { continue }
            received.append(try readings.map { try $0.optionalString("orientation") ?? "\(degrees($0))°" })
        }
        return received
    }

    private func degrees(_ reading: Parameters) throws -> Int {
        switch try reading.object("values").object("columns").array("value").first {
        case .number(let number): Int(number.rounded())
        case .integer(let number): Int(number)
        default: throw CocoaError(.coderInvalidValue)
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
        let clientReceived = try orientations(&client, 4)
        #expect(clientReceived == ["undefined", "normal", "right-up", "normal"])
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
        "if the opening of the device is taken in the same turn as its first reading, the new state is sent between the two"
    )
    func openedInTheSameTurn() throws {
        let broker = try ServedBroker()
        var client = try subscribe(broker, labelling: ["accelerometer", "orientation"])
        try broker.keepingLoopBusy {
            broker.sendOpening(intervalNanoseconds: 100_000_000)
            broker.yield(Self.upright, sequence: 0)
        }
        var received: [[String]] = []
        while received.last != ["orientation"] {
            let message = try client.answer()
            let readings = try message.optionalObjects("readings")?.map { try $0.string("label") }
            let states = try message.optionalObjects("resources")?.map {
                try "\($0.string("name")) \($0.string("state"))"
            }
            received.append((readings ?? []) + (states ?? []))
        }
        #expect(received.suffix(3) == [["accelerometer"], ["orientation active"], ["orientation"]])
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
        #expect(try received(&client, 6) == [["normal", "0°"], ["30°"], ["right-up", "0°"], ["-90°"]])
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
            _ = try received(&client, names.count)
            var other = try BrokerClient(broker)
            try other.settle()
            for index: UInt64 in 1...20 { broker.yield(Self.leaning(4), sequence: index) }
            #expect(broker.channel.newestQuiet != nil)
            #expect(!Wait.untilReadable(broker.channel.wakeDescriptor, nanoseconds: 0).first)
            broker.yield(Self.leaning(-20), sequence: 21)
            #expect(try received(&client, 1) == [["-20°"]])
        }
    }

    @Test(
        "a later client gets the present orientation, and so does a single read",
        arguments: [nil, 0, 3_600_000_000_000])
    func latecomers(intervalNanoseconds: Int64?) throws {
        let broker = try ServedBroker()
        var first = try subscribe(broker)
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.upright, sequence: 0)
        let firstReceived = try orientations(&first, 1)
        #expect(firstReceived == ["normal"])
        for index: UInt64 in 1...50 { broker.yield(Self.flat, sequence: index) }
        var second = try subscribe(broker, intervalNanoseconds: intervalNanoseconds)
        let secondReceived = try orientations(&second, 1)
        #expect(secondReceived == ["normal"])
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
        return broker.channel.commands.demand?.intervalNanoseconds
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
        let clientReceived = try orientations(&client, 1)
        #expect(clientReceived == ["normal"])
        broker.channel.send(.state(.unavailable(reason: "it was unplugged")))
        try state(&client, until: "unavailable")
        try broker.open(intervalNanoseconds: 100_000_000)
        broker.yield(Self.flat, sequence: 0)
        let receivedAnew = try orientations(&client, 1)
        #expect(receivedAnew == ["undefined"])
    }
}
