import Motion
import Platform
import Readings
import Testing
import Varlink

@testable import Devices
@testable import SensorValues

/// Attitude, gravity and north of a device with a gyroscope, as clients see them.
@Suite(.timeLimit(.minutes(30))) struct DerivedMotionTests {
    /// A device that lies still, and its broker; gravity points along its z axis.
    private struct Still {
        let broker: ServedBroker
        private let start = Clock.bootNanoseconds() + 60_000_000_000
        private var next: Int64 = 0
        private var intake = Intake()

        init(_ further: Kind...) throws {
            broker = try ServedBroker()
            for kind in [.angularVelocity] + further {
                broker.arrivals.announce(
                    ResourceArrival(
                        name: kind.row.firstResource, kind: kind, isSimulated: true, ofDeviceOf: .accelerometer))
            }
            var other = try BrokerClient(broker)
            try other.settle()
        }

        /// The device is opened and runs at 100 Hz.
        mutating func open() throws {
            intake.restart()
            try broker.open(intervalNanoseconds: 10_000_000)
        }

        /// Yields so many scans of all its sensors.
        mutating func yield(_ count: Int, after pause: Int64 = 0) {
            next += pause
            for _ in 0..<count {
                let scan: [Measurement] = [
                    .values(Values(.acceleration, SIMD4(0, 0, 9.81, 0))), .values(Values(.angularVelocity, .zero)),
                    .values(Values(.magneticField, SIMD4(0, 20, -40, 0))),
                ]
                intake.append(scan: scan, at: BootTime(nanoseconds: start + next))
                next += 10_000_000
            }
            broker.channel.send(&intake)
        }
    }

    /// Waits until the broker has done all that it was asked and sent before.
    private func settle(_ broker: ServedBroker) throws {
        var other = try BrokerClient(broker)
        try other.settle()
    }

    /// A stream that the broker has begun, and for which it has asked the device.
    private func subscribe(_ broker: ServedBroker, _ names: String..., every nanoseconds: Int64 = 20_000_000) throws
        -> BrokerClient
    {
        var client = try BrokerClient(broker)
        let requests = names.map { name in
            JSONValue.object(
                JSONObject([("resource", .string(name)), ("intervalNanoseconds", .integer(nanoseconds))]))
        }
        client.send("Subscribe", ["requests": .array(requests)], mode: .more)
        _ = try client.answer()
        try settle(broker)
        return client
    }

    /// The next readings of a stream, each as its resource and its first number, and the gaps and states in between as words.
    private func received(_ client: inout BrokerClient, until isLast: ([String]) -> Bool) throws -> [String] {
        var received: [String] = []
        while !isLast(received) {
            let answer = try client.answer()
            for resource in try answer.optionalObjects("resources") ?? [] {
                received.append("\(try resource.string("name")) \(try resource.string("state"))")
            }
            for gap in try answer.optionalObjects("gaps") ?? [] {
                received.append("\(try gap.string("resource")) gap \(try gap.string("cause"))")
            }
            for reading in try answer.optionalObjects("readings") ?? [] {
                let (name, first) = (try reading.string("resource"), try reading.integer("sequence"))
                let columns = try reading.object("values").object("columns")
                let count = try (try? columns.array("x"))?.count ?? columns.array("value").count
                received += (0..<Int64(count)).map { "\(name) #\(first + $0)" }
            }
        }
        return received
    }

    private func resource(_ name: String, _ broker: ServedBroker) throws -> Parameters? {
        var asker = try BrokerClient(broker)
        asker.send("ListResources")
        return try asker.answer().objects("resources").first { try $0.string("name") == name }
    }

    @Test("what follows from a gyroscope is served once there is one, and north with a magnetometer")
    func served() throws {
        let without = try Still()
        #expect(try resource("attitude", without.broker)?.string("state") == "idle")
        #expect(
            try resource("attitude", without.broker)?.string("description").hasPrefix(
                "from gyroscope and accelerometer") == true)
        #expect(try resource("heading", without.broker) == nil)
        let with = try Still(.magneticField)
        #expect(try resource("heading", with.broker)?.string("state") == "idle")
    }

    @Test(
        "a client of the attitude has the chip run as fast as the filter needs, for both of its sensors, and wake the broker no more often than it needs",
        arguments: [(1_000, 50), (70, 0), (40, 40), (20, 20), (10, 0)])
    func demand(milliseconds: Int64, latency: Int64) throws {
        let still = try Still()
        let client = try subscribe(still.broker, "attitude", every: milliseconds * 1_000_000)
        let demand = still.broker.channel.commands.demand
        #expect(demand?.latencyNanoseconds == latency * 1_000_000)
        #expect(demand?.intervalNanoseconds == 10_000_000)
        #expect(demand?.kinds == [.acceleration, .angularVelocity])
        withExtendedLifetime(client) {}
    }

    @Test("nothing is sent before the vertical is known, and then all that is wanted at one time")
    func readings() throws {
        var still = try Still(.magneticField)
        var client = try subscribe(still.broker, "attitude", "gravity", "heading", "rest")
        try still.open()
        still.yield(200)
        let words = try received(&client) {
            $0.contains { $0.hasPrefix("heading #") } && $0.contains { $0 == "attitude #50" }
        }
        let begins = words.firstIndex { $0.hasPrefix("attitude #") } ?? 0
        #expect(words[..<begins].contains("attitude active"), "the state comes first")
        let numbers = words.compactMap { $0.hasPrefix("attitude #") ? Int($0.dropFirst(10)) : nil }
        #expect(numbers.prefix(50).elementsEqual(0..<50))
    }

    @Test("a pause of the gyroscope is a gap, after which numbers begin anew")
    func gap() throws {
        var still = try Still()
        var client = try subscribe(still.broker, "attitude")
        try still.open()
        still.yield(50)
        _ = try received(&client) { $0.contains { $0.hasPrefix("attitude #") } }
        still.yield(40, after: 500_000_000)
        let words = try received(&client) { $0.contains("attitude #0") }
        #expect(words.contains("attitude gap deviceLost"))
    }

    @Test("what is derived gives way to a device that measures it, and its clients go on with that")
    func givesWay() throws {
        var still = try Still()
        var client = try subscribe(still.broker, "gravity")
        try still.open()
        still.yield(50)
        _ = try received(&client) { $0.contains { $0.hasPrefix("gravity #") } }
        still.broker.arrivals.announce(
            ResourceArrival(name: Kind.gravity.row.firstResource, kind: .gravity, isSimulated: true) { channel in
                channel.send(.opened)
                channel.send(.state(.active))
                var intake = Intake()
                intake.append(
                    .values(Values(.gravity, SIMD4(0, 0, 9.5, 0))),
                    at: BootTime(nanoseconds: Clock.bootNanoseconds() + 90_000_000_000))
                channel.send(&intake)
            })
        let words = try received(&client) { $0.last == "gravity #0" }
        #expect(words.contains("gravity gap reconfigured"))
        try settle(still.broker)
        #expect(still.broker.channel.commands.demand == nil)
    }

    @Test("much that follows in one turn is delivered or reported as missing")
    func backlog() throws {
        var still = try Still()
        var client = try subscribe(still.broker, "attitude")
        try still.open()
        still.yield(50)
        _ = try received(&client) { $0.contains { $0.hasPrefix("attitude #") } }
        still.yield(400, after: 500_000_000)
        let words = try received(&client) {
            $0.contains { $0.hasPrefix("attitude #9") || $0 == "attitude gap slowClient" }
        }
        #expect(words.contains("attitude gap deviceLost"))
    }

    @Test("without a source nothing is derived, and the reason names it")
    func unavailable() throws {
        var still = try Still()
        var client = try subscribe(still.broker, "attitude")
        try still.open()
        still.yield(50)
        _ = try received(&client) { $0.contains { $0.hasPrefix("attitude #") } }
        still.broker.channel.send(.state(.unavailable(reason: "unplugged")))
        _ = try received(&client) { $0.contains("attitude unavailable") }
        #expect(try resource("attitude", still.broker)?.string("reason") == "gyroscope: unplugged")
    }
}
