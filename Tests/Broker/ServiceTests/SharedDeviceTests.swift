import Admission
import Delivery
import Platform
import Readings
import Testing
import Varlink

@testable import Devices
@testable import SensorValues
@testable import Service

/// A device with an accelerometer and a gyroscope, as seen by its clients.
@Suite("A device with two resources", .timeLimit(.minutes(30))) struct SharedDeviceTests {
    private let gyroscope = ResourceArrival(
        name: ResourceName("gyroscope") ?? .accelerometer, kind: .angularVelocity, isSimulated: true,
        ofDeviceOf: .accelerometer)

    private func served() throws -> ServedBroker {
        let broker = try ServedBroker()
        broker.arrivals.announce(gyroscope)
        return broker
    }

    private func subscribe(_ broker: ServedBroker, _ resources: String...) throws -> BrokerClient {
        let client = try BrokerClient(broker)
        let requests = resources.map { name in
            JSONValue.object(
                JSONObject([("resource", .string(name)), ("intervalNanoseconds", .integer(1_000_000))]))
        }
        client.send("Subscribe", ["requests": .array(requests)], mode: .more)
        return client
    }

    private func turn(_ sequence: UInt64) -> DeviceEvent {
        .sample(
            Sample(
                sequence: sequence,
                timestamp: BootTime(nanoseconds: Clock.bootNanoseconds() + 60_000_000_000 + Int64(sequence)),
                measurement: .values(Values(.angularVelocity, [0, 0, 1, 0]))))
    }

    /// The resources in the next messages, up to and including one for which a condition holds.
    private func states(
        _ client: inout BrokerClient, until isLast: (String, String) -> Bool
    ) throws -> [String] {
        var received: [String] = []
        while true {
            for resource in try client.answer().optionalObjects("resources") ?? [] {
                let (name, state) = (try resource.string("name"), try resource.string("state"))
                received.append("\(name) \(state)")
                if isLast(name, state) { return received }
            }
        }
    }

    @Test("sends each client the samples of its kind, and both in one stream to a client of both")
    func samples() throws {
        let broker = try served()
        var one = try subscribe(broker, "accelerometer")
        var other = try subscribe(broker, "gyroscope")
        var both = try subscribe(broker, "accelerometer", "gyroscope")
        _ = (try one.answer(), try other.answer(), try both.answer())
        try broker.open(intervalNanoseconds: 1_000_000)
        broker.yield(Acceleration(x: 0, y: 0, z: 9.81), sequence: 0)
        broker.channel.send(turn(0))
        func names(_ client: inout BrokerClient, _ count: Int) throws -> [String] {
            var names: [String] = []
            while names.count < count {
                names += try (client.answer().optionalObjects("readings") ?? []).map { try $0.string("resource") }
            }
            return names
        }
        #expect(try names(&one, 1) == ["accelerometer"])
        #expect(try names(&other, 1) == ["gyroscope"])
        #expect(try names(&both, 2) == ["accelerometer", "gyroscope"])
    }

    @Test("a resource without clients is idle while the device runs, and starts when one subscribes")
    func idle() throws {
        let broker = try served()
        var first = try subscribe(broker, "accelerometer")
        try broker.open(intervalNanoseconds: 1_000_000)
        _ = try states(&first) { $0 == "accelerometer" && $1 == "active" }
        var second = try subscribe(broker, "gyroscope")
        let begun = try states(&second) { $1 == "starting" }
        #expect(begun == ["gyroscope idle", "gyroscope starting"])
        broker.channel.send(turn(5))
        #expect(try states(&second) { $1 == "active" } == ["gyroscope active"])
        #expect(try second.answer().optionalObjects("readings")?.count == 1, "the state comes first")
    }

    @Test("a loss of one kind is reported to its clients, any other to all")
    func gaps() throws {
        let broker = try served()
        var one = try subscribe(broker, "accelerometer")
        var other = try subscribe(broker, "gyroscope")
        _ = (try one.answer(), try other.answer())
        try broker.open(intervalNanoseconds: 1_000_000)
        broker.yield(0..<1, every: 1_000_000)
        broker.channel.send(turn(0))
        let far = BootTime(nanoseconds: Clock.bootNanoseconds() + 80_000_000_000)
        let missing = Gap(cause: .deviceOverflow, count: 3, from: far, until: far + 3_000_000)
        broker.channel.send(.missing(missing, of: Quantity(.angularVelocity)))
        broker.channel.send(.gap(Gap(cause: .deviceOverflow, count: 5, from: far, until: far + 5_000_000)))
        func counts(_ client: inout BrokerClient, _ count: Int) throws -> [Int64] {
            var counts: [Int64] = []
            while counts.count < count {
                counts += try (client.answer().optionalObjects("gaps") ?? []).map { try $0.integer("count") }
            }
            return counts
        }
        #expect(try counts(&one, 1) == [5])
        #expect(try counts(&other, 2) == [3, 5])
    }

    @Test("a kind that the device no longer has is unavailable, with the reason")
    func missingKind() throws {
        let broker = try served()
        var client = try subscribe(broker, "accelerometer", "gyroscope")
        try broker.open(intervalNanoseconds: 1_000_000)
        var profile = DeviceProfile(
            offered: .discrete([1_000_000]), intervalNanoseconds: 1_000_000, description: nil, simulated: true)
        profile.kinds = [.acceleration]
        broker.channel.send(.profile(profile))
        let received = try states(&client) { $1 == "unavailable" }
        #expect(received.last == "gyroscope unavailable")
        #expect(!received.contains("accelerometer unavailable"))
    }

    private func quietBroker() throws -> (Broker, DeviceChannel) {
        let broker = Broker(
            server: try Server(), journal: Journal(isSilent: true), health: nil, startedAt: BootTime(nanoseconds: 1))
        broker.allowEveryone(now: BootTime(nanoseconds: 1))
        let channel = try DeviceChannel()
        try broker.add(.accelerometer, .acceleration, channel, isSimulated: true)
        return (broker, channel)
    }

    @Test("is released and reacquired with all its resources", arguments: ["accelerometer", "gyroscope"])
    func release(_ named: String) throws {
        let (broker, _) = try quietBroker()
        try broker.add(.location, .location, try DeviceChannel(), isSimulated: true)
        #expect(broker.add(gyroscope.name, gyroscope.kind, ofDeviceOf: .accelerometer))
        let name = try #require(ResourceName(named))
        let now = BootTime(nanoseconds: 2)
        let both: [ResourceName] = [.accelerometer, gyroscope.name]
        broker.releases.release(.resource(name), seconds: nil, to: broker.sink, now: now)
        #expect(broker.catalog.devices.map(\.isReleased) == [true, false])
        let other = try #require(ResourceName(named == "gyroscope" ? "accelerometer" : "gyroscope"))
        #expect(broker.releases.reacquire(.resource(other), to: broker.sink, now: now) == both)
        #expect(broker.catalog.devices.map(\.isReleased) == [false, false])
        broker.releases.release(.kind(.angularVelocity), seconds: nil, to: broker.sink, now: now)
        #expect(broker.catalog.devices.map(\.isReleased) == [true, false])
        #expect(broker.releases.reacquire(.kind(.acceleration), to: broker.sink, now: now) == both)
    }

    @Test("with two inputs of one kind delivers each to its clients, and describes it")
    func inputs() throws {
        let broker = try ServedBroker()
        let name = try #require(ResourceName("accelerometer:1"))
        broker.arrivals.announce(
            ResourceArrival(
                name: name, kind: .acceleration, input: 1, isSimulated: true, ofDeviceOf: .accelerometer))
        var one = try subscribe(broker, "accelerometer")
        var other = try subscribe(broker, "accelerometer:1")
        _ = (try one.answer(), try other.answer())
        try broker.open(intervalNanoseconds: 1_000_000)
        let second = Quantity(.acceleration, input: 1)
        var profile = DeviceProfile(
            offered: .discrete([1_000_000]), intervalNanoseconds: 1_000_000, description: "a chip", simulated: true)
        profile.kinds = KindSet(of: [Quantity(.acceleration), second])
        profile.inputs = [second: "accel1 (right)"]
        broker.channel.send(.profile(profile))
        #expect(demand(of: broker)?.quantities == [Quantity(.acceleration), second])
        let stamp = BootTime(nanoseconds: Clock.bootNanoseconds() + 60_000_000_000)
        for (input, value) in [(UInt8(0), 1.5), (1, 2.5)] {
            let measurement = Measurement.values(Values(.acceleration, [value, 0, 0, 0], input: input))
            broker.channel.send(.sample(Sample(sequence: 0, timestamp: stamp, measurement: measurement)))
        }
        func first(_ client: inout BrokerClient) throws -> (String, [JSONValue]) {
            while true {
                guard let reading = try client.answer().optionalObjects("readings")?.first else { continue }
                return (try reading.string("resource"), try reading.object("values").object("columns").array("x"))
            }
        }
        #expect(try first(&one) == ("accelerometer", [.number(1.5)]))
        #expect(try first(&other) == ("accelerometer:1", [.number(2.5)]))
        var asker = try BrokerClient(broker)
        asker.send("ListResources")
        let received = try asker.answer().objects("resources").compactMap { try $0.optionalString("description") }
        #expect(received.contains("a chip") && received.contains("accel1 (right) of a chip"))
    }

    private func demand(of broker: ServedBroker) -> KindSet? {
        broker.channel.commands.demand?.kinds
    }

    @Test("another resource is not served twice, nor for an unknown device or one that has that kind")
    func refused() throws {
        let (broker, _) = try quietBroker()
        #expect(!broker.add(gyroscope.name, gyroscope.kind, ofDeviceOf: .location))
        #expect(!broker.add(gyroscope.name, .acceleration, ofDeviceOf: .accelerometer))
        #expect(broker.add(gyroscope.name, gyroscope.kind, ofDeviceOf: .accelerometer))
        #expect(!broker.add(gyroscope.name, gyroscope.kind, ofDeviceOf: .accelerometer))
        #expect(broker.catalog.resources.count == 2)
        #expect(broker.catalog.devices.count == 1)
    }

    @Test("a resource awaited after a restart may turn out to be part of another device, and continues as that")
    func awaited() throws {
        let (broker, channel) = try quietBroker()
        let now = BootTime(nanoseconds: 2)
        let arrivals = try ResourceArrivals()
        try broker.serve(arrivals)
        let client = try PairedClient()
        var handover = Handover()
        handover.resources = [HandedResource(name: gyroscope.name, kind: gyroscope.kind)]
        var handed = HandedConnection(
            cookie: client.cookie, door: .clients, serial: 7, slot: 0, connectedSince: BootTime(nanoseconds: 1))
        let part = HandedPart(
            Request(resource: gyroscope.name), intervalNanoseconds: 50_000_000, batchNanoseconds: 0,
            ClientAccount(since: BootTime(nanoseconds: 1)))
        handed.task = .stream(HandedStream(id: StreamID(), revision: 1, parts: [part]))
        handover.connections = [handed]
        broker.takeOver(
            [handover.text], ledger: nil, [client.near], calls: BrokerCalls(broker),
            administration: AdminCalls(broker) { _ in }, now: now)
        #expect(broker.catalog.devices.map(\.isAwaited) == [false, true])
        arrivals.announce(gyroscope)
        let event = try WakeEvent()
        event.signal()
        try broker.server.watch(event.descriptor) { [unowned broker] _ in broker.server.stop() }
        try broker.server.run(broker)
        #expect(broker.catalog.devices.count == 1)
        #expect(broker.catalog.indices.allSatisfy { !broker.catalog.device(of: $0).isAwaited })
        #expect(broker.catalog.devices[0].core.demand?.kinds == [.angularVelocity])
        withExtendedLifetime(channel) {}
    }
}
