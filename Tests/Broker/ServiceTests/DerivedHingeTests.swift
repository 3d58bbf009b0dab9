import Platform
import Readings
import Testing
import Varlink

@testable import Devices
@testable import SensorValues

/// The angle of the hinge between two accelerometers, as clients see it.
@Suite(.timeLimit(.minutes(30))) struct DerivedHingeTests {
    /// A laptop with an accelerometer in the lid and, once it is announced, another one in the base.
    private struct Laptop {
        let broker: ServedBroker
        /// The channel of the base's device.
        let served: DeviceChannel
        private var time = Clock.bootNanoseconds() + 60_000_000_000
        private var intakes = [Intake(), Intake()]

        init(names: HingeSources? = nil) throws {
            let broker = try ServedBroker()
            self.broker = broker
            let name = try #require(names?.base ?? HingeSources.byName.base)
            if let names { broker.arrivals.announce(names) }
            served = try StartedChannel.announce(name, .acceleration, to: broker)
        }

        func open(baseAlong axes: DeviceProfile.Axes = .device) {
            for (channel, axes) in [(broker.channel, DeviceProfile.Axes.device), (served, axes)] {
                channel.send(.opened)
                var profile = DeviceProfile(
                    offered: .discrete([100_000_000]), intervalNanoseconds: 100_000_000, description: nil,
                    simulated: true)
                profile.axes = axes
                channel.send(.profile(profile))
                channel.send(.state(.active))
            }
        }

        /// Both measure this, ten times a second.
        mutating func hold(_ lid: SIMD4<Double>, _ base: SIMD4<Double>, tenths: Int = 30) throws {
            for _ in 0..<tenths {
                time += 100_000_000
                for (index, (channel, value)) in [(broker.channel, lid), (served, base)].enumerated() {
                    intakes[index].append(.values(Values(.acceleration, value)), at: BootTime(nanoseconds: time))
                    channel.send(&intakes[index])
                }
                var other = try BrokerClient(broker)
                try other.settle()
            }
        }
    }

    private static let up = SIMD4(0, 0, 9.81, 0)

    private func resource(_ broker: ServedBroker) throws -> Parameters? {
        var asker = try BrokerClient(broker)
        asker.send("ListResources")
        return try asker.answer().objects("resources").first { try $0.string("name") == "hinge" }
    }

    private func subscribe(_ laptop: Laptop) throws -> BrokerClient {
        var client = try BrokerClient(laptop.broker)
        client.send("Subscribe", ["requests": [["resource": "hinge"]]], mode: .more)
        _ = try client.answer()
        return client
    }

    /// What a stream carries up to the first word that is looked for: angles, and states.
    private func received(_ client: inout BrokerClient, until last: String) throws -> [String] {
        var received: [String] = []
        while !received.contains(last) {
            let answer = try client.answer()
            for resource in try answer.optionalObjects("resources") ?? [] {
                received.append(try resource.string("state"))
            }
            for reading in try answer.optionalObjects("readings") ?? [] {
                let values = try reading.object("values").object("columns").array("value")
                for case .number(let degrees) in values { received.append("\(Int(degrees.rounded()))") }
            }
        }
        return received
    }

    @Test("is served once lid and base have an accelerometer, and names these")
    func served() throws {
        let laptop = try Laptop()
        #expect(try resource(laptop.broker)?.string("state") == "idle")
        #expect(
            try resource(laptop.broker)?.string("description")
                == "from accelerometer (in the lid) and accelerometer:base (in the base)")
        let announced = try Laptop(names: HingeSources(lid: .accelerometer, base: ResourceName("accelerometer:1")))
        #expect(try resource(announced.broker)?.string("description").contains("accelerometer:1 (in the base)") == true)
        #expect(try resource(ServedBroker()) == nil)
    }

    @Test("reports an angle when it has changed, and its absence while gravity does not show it")
    func angles() throws {
        var laptop = try Laptop()
        var client = try subscribe(laptop)
        laptop.open()
        try laptop.hold(SIMD4(0, 9.81, 0, 0), Self.up)
        #expect(try received(&client, until: "90").contains("active"))
        try laptop.hold(SIMD4(9.81, 0, 0, 0), SIMD4(9.81, 0, 0, 0))
        #expect(try received(&client, until: "unavailable").contains("90") == false)
        #expect(try resource(laptop.broker)?.string("reason").contains("upright") == true)
        try laptop.hold(Self.up, Self.up)
        #expect(try received(&client, until: "180").contains("active"))
    }

    @Test("is not derived from a chip that is mounted nobody knows how, nor beside a sensor that is gone")
    func unavailable() throws {
        var laptop = try Laptop()
        var client = try subscribe(laptop)
        laptop.open(baseAlong: .chip)
        _ = try received(&client, until: "unavailable")
        #expect(try resource(laptop.broker)?.string("reason").contains("accelerometer:base") == true)
        try laptop.hold(SIMD4(0, 9.81, 0, 0), Self.up, tenths: 3)
        laptop.open()
        #expect(try received(&client, until: "starting").contains("90") == false)
        laptop.served.send(.state(.unavailable(reason: "unplugged")))
        _ = try received(&client, until: "unavailable")
        #expect(
            try resource(laptop.broker)?.string("reason") == "accelerometer:base (in the base): unplugged")
    }
}
