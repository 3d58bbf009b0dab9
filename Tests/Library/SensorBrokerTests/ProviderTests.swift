import Foundation
import Locking
import ScriptedService
import SensorBrokerSimulation
import Testing
import Varlink

@testable import SensorBroker

/// A program as a sensor, against a service that answers by a script.
@Suite(.timeLimit(.minutes(30))) struct ProviderTests {
    private typealias Answer = ScriptedServer.Answer

    private let up = Acceleration(x: 0, y: 0, z: 9.81)

    private static func server(_ answer: @escaping @Sendable (Call) -> Answer) throws -> ScriptedServer {
        try ScriptedServer(of: "io.sensorbroker.Feed", answer)
    }

    private func broker(of server: ScriptedServer) -> Broker {
        Broker(socket: server.path.replacing("io.sensorbroker.Feed", with: "io.sensorbroker.Broker"))
    }

    private static let wanted: Answer = demand(takesMissing: true)

    private static func demand(takesMissing: Bool) -> Answer {
        .replies(
            [["wanted": true, "intervalNanoseconds": 10_000_000, "takesMissing": .bool(takesMissing)]], continues: true)
    }

    /// The next refusal among the events.
    private func refusal(
        _ events: inout some AsyncIteratorProtocol<ProviderEvent, SensorError>
    ) async throws -> (count: Int, reason: String)? {
        while let event = try await events.next() {
            if case .refused(let count, let reason) = event { return (count, reason) }
        }
        return nil
    }

    /// Waits until something is so.
    private func until(_ isTrue: () throws -> Bool) async throws {
        while try !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("what a program offers and sends arrives; a change of the demand and a refusal are reported")
    func provides() async throws {
        let hasSent = Locked(false)
        let server = try Self.server { call in
            switch (call.method, (try? call.parameters.objects("samples").count) ?? 0) {
            case ("Provide", _):
                while !hasSent.withLock({ $0 }) { usleep(1_000) }
                return Self.wanted
            case (_, 2):
                return .replies(
                    [
                        ["wanted": false],
                        [
                            "wanted": true, "latencyNanoseconds": 0,
                            "refused": ["count": 1, "reason": "later than now"],
                        ],
                    ],
                    continues: true)
            default: return .init()
            }
        }
        let offer = SensorOffer(
            device: "an arm", intervals: .oneOf([.milliseconds(20), .milliseconds(10)]), rest: .seconds(2),
            isSimulated: true)
        let provider = broker(of: server).provide(
            Acceleration.self, AngularVelocity.self, named: "accelerometer:arm", "gyroscope:arm", offer: offer)
        // Nobody wants it yet.
        provider.send(up, AngularVelocity(x: 1, y: 2, z: 3))
        hasSent.withLock { $0 = true }
        var (demands, events) = (provider.demands.makeAsyncIterator(), provider.events.makeAsyncIterator())
        #expect(try await demands.next() == .samples(every: .milliseconds(10), latency: .zero))
        #expect(provider.error == nil && server.calls.count == 1)
        #expect(
            server.calls[0].parameters.object == [
                "resources": [
                    ["name": "accelerometer:arm", "kind": "acceleration"],
                    ["name": "gyroscope:arm", "kind": "angularVelocity"],
                ],
                "description": "an arm", "intervalsNanoseconds": [10_000_000, 20_000_000],
                "restNanoseconds": 2_000_000_000, "simulated": true,
            ])
        provider.send(up, AngularVelocity(x: 1, y: 2, z: 3), at: BootTime(nanoseconds: 7))
        #expect(try await refusal(&events)?.reason == "later than now")
        #expect(try await events.next() == .demand(.samples(every: nil, latency: .zero)))
        let samples = try server.calls[1].parameters.objects("samples")
        #expect(try samples.map { try $0.string("resource") } == ["accelerometer:arm", "gyroscope:arm"])
        #expect(try samples.map { try $0.integer("timestampNanoseconds") } == [7, 7])
    }

    @Test(
        "a sample without a time is stamped when it is sent; one that is no number is refused here, and no other of its batch"
    )
    func stamps() async throws {
        let server = try Self.server { $0.method == "Provide" ? Self.wanted : .init() }
        let provider = broker(of: server).provide(Acceleration.self)
        try await until { provider.demand != .nobody }
        var events = provider.events.makeAsyncIterator()
        let before = BootTime.now
        provider.send(up)
        let after = BootTime.now
        try await until { server.calls.count == 2 }
        let stamp = try server.calls[1].parameters.objects("samples")[0].integer("timestampNanoseconds")
        #expect((before.nanoseconds...after.nanoseconds).contains(stamp))
        let times = [1, 2, 4].map { BootTime(nanoseconds: $0) }
        provider.send([up, Acceleration(x: .nan, y: 0, z: 0), up], at: times)
        provider.send(Acceleration(x: 0, y: .infinity, z: 0))
        try await until { server.calls.count == 3 }
        let values = try server.calls[2].parameters.objects("samples")[0].object("values")
        #expect(try values.object("columns").array("x").count == 2 && values.integer("periodNanoseconds") == 3)
        let refused = try await refusal(&events)
        #expect(refused?.count == 2 && refused?.reason == "a number is not finite")
    }

    @Test("what an offer states of intervals is on the wire")
    func intervals() {
        let resources = ProvidedResources([Temperature.self], named: [])
        func sent(_ intervals: SensorOffer.Intervals) -> [JSONObject.Member] {
            Array(SensorOffer(intervals: intervals).parameters(of: resources).members.dropFirst())
        }
        func members(_ members: JSONObject) -> [JSONObject.Member] { members.members }
        #expect(sent(.own(nil)).isEmpty)
        #expect(sent(.own(.milliseconds(5))) == members(["intervalNanoseconds": 5_000_000]))
        #expect(
            sent(.range(.milliseconds(1) ... .seconds(1)))
                == members(["shortestNanoseconds": 1_000_000, "longestNanoseconds": 1_000_000_000]))
        #expect(
            sent(.oneOf([.seconds(2), .seconds(1)]))
                == members(["intervalsNanoseconds": [1_000_000_000, 2_000_000_000]]))
    }

    @Test("while nobody wants samples, none is sent")
    func nobody() async throws {
        let server = try Self.server { _ in .replies([["wanted": false]], continues: true) }
        let provider = broker(of: server).provide(Temperature.self)
        for try await demand in provider.demands {
            #expect(demand == .nobody)
            break
        }
        provider.send(Temperature(20))
        provider.end()
        // A server reads what was sent before the end.
        try await until { server.connections == 0 }
        #expect(server.calls.count == 1)
    }

    @Test("a refusal is an error with what to do", arguments: ["NotAllowed", "NameTaken", "NoSuchKind"])
    func refused(name: String) async throws {
        let server = try Self.server { _ in
            .error(
                name,
                ["resource": "accelerometer", "reason": "add [Feed accelerometer]", "holder": "python3", "kind": "x"],
                of: "io.sensorbroker.Feed")
        }
        let provider = broker(of: server).provide(Acceleration.self)
        let error = await #expect(throws: SensorError.self) { for try await _ in provider.demands {} }
        #expect(provider.error == error)
        switch (name, error) {
        case ("NotAllowed", .notAllowed(.accelerometer, reason: "add [Feed accelerometer]")?): break
        case ("NameTaken", .nameTaken(.accelerometer, holder: "python3")?): break
        case ("NoSuchKind", .invalidRequest?): break
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test("a refusal is reported once, and tried again until it is cured")
    func cured() async throws {
        let tries = Locked(0)
        let server = try Self.server { _ in
            tries.withLock { tries in
                tries += 1
                return tries < 3
                    ? .error("NameTaken", ["resource": "accelerometer", "holder": "x"], of: "io.sensorbroker.Feed")
                    : Self.wanted
            }
        }
        let provider = broker(of: server).provide(Acceleration.self)
        var events: [ProviderEvent] = []
        for try await event in provider.events {
            events.append(event)
            if case .demand = event { break }
        }
        let demand = ProviderEvent.demand(.samples(every: .milliseconds(10), latency: .zero))
        #expect(events == [.disconnected(.nameTaken(.accelerometer, holder: "x")), demand])
        #expect(provider.error == nil)
    }

    @Test("a broker that comes, goes and comes again is provided for each time, and is asked by one connection")
    func reconnects() async throws {
        let provisions = Locked(0)
        let server = try Self.server { call in
            guard call.method == "Provide" else { return Answer(closes: true) }
            provisions.withLock { $0 += 1 }
            return Self.wanted
        }
        let provider = broker(of: server).provide(Acceleration.self)
        for round in 1...3 {
            try await until { provisions.withLock { $0 } == round && provider.error == nil }
            try await until { provider.demand != .nobody }
            #expect(provider.demand == .samples(every: .milliseconds(10), latency: .zero))
            provider.send(up)
            try await until { provider.error == .disconnected || provisions.withLock { $0 } == round + 1 }
        }
    }

    @Test("a missing broker is reported, and waited for")
    func missing() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "provider-\(UUID().uuidString.prefix(8))")
        let path = directory.appending(path: "io.sensorbroker.Broker").path
        let provider = Broker(socket: path).provide(Acceleration.self)
        let feed = directory.appending(path: "io.sensorbroker.Feed").path
        try await until { provider.error == .brokerMissing(paths: [feed]) }
        #expect(provider.demand == .nobody)
    }

    @Test("the end of a provider closes its connection")
    func ends() async throws {
        let server = try Self.server { $0.method == "Provide" ? Self.wanted : .init() }
        let broker = broker(of: server)
        var provider: SensorProvider<Acceleration>? = broker.provide(Acceleration.self)
        try await until { provider?.demand != .nobody }
        let feeds = { broker.session.core.state.withLock { $0.feeds.count } }
        #expect(feeds() == 1)
        provider = nil
        #expect(feeds() == 0)
        try await until { server.connections == 0 }
    }

    @Test(
        "a broker that reads nothing is not waited for: whole samples are dropped and counted, and it is told",
        arguments: [true, false])
    func slow(takesMissing: Bool) async throws {
        let isReading = Locked(false)
        let server = try Self.server { call in
            guard call.method != "Provide" else { return Self.demand(takesMissing: takesMissing) }
            while !isReading.withLock({ $0 }) { usleep(1_000) }
            return .init()
        }
        let provider = broker(of: server).provide(Acceleration.self)
        try await until { provider.demand != .nobody }
        let sent = 20_000
        var events = provider.events.makeAsyncIterator()
        provider.send(up, at: BootTime(nanoseconds: 1))
        // From then on it reads nothing.
        try await until { server.calls.count == 2 }
        for number in 2...sent { provider.send(up, at: BootTime(nanoseconds: Int64(number))) }
        let refused = try await refusal(&events)
        #expect(refused?.reason == "the broker does not take them in time")
        isReading.withLock { $0 = true }
        let taken = sent - (refused?.count ?? 0)
        try await until { server.calls.count == 1 + taken }
        let stamps = try server.calls.dropFirst().map { call in
            try call.parameters.objects("samples")[0].integer("timestampNanoseconds")
        }
        #expect(stamps == Array(1...Int64(taken)))
        // Once there is room again, so is the way.
        provider.send(up, at: BootTime(nanoseconds: Int64(sent + 1)))
        try await until { server.calls.count == 2 + taken }
        let missing = try server.calls.map { try $0.parameters.optionalInteger("missing") ?? 0 }
        // An earlier broker would refuse the samples that come with it.
        #expect(missing == Array(repeating: 0, count: 1 + taken) + [takesMissing ? Int64(sent - taken) : 0])
    }

    @Test(
        "what has no room yet at the end is sent, or reported if the broker does not take it", arguments: [true, false])
    func ends(readsAgain: Bool) async throws {
        let count = 20_000
        let isReading = Locked(false)
        let server = try Self.server { call in
            guard call.method != "Provide" else { return Self.wanted }
            while !isReading.withLock({ $0 }) { usleep(1_000) }
            return .init()
        }
        let provider = broker(of: server).provide(Acceleration.self)
        try await until { provider.demand != .nobody }
        var events = provider.events.makeAsyncIterator()
        provider.send(
            (0..<count).map { Acceleration(x: Double($0) / 7, y: 0, z: 0) },
            at: (1...count).map { BootTime(nanoseconds: Int64($0)) })
        if readsAgain {
            Thread.detachNewThread {
                usleep(100_000)
                isReading.withLock { $0 = true }
            }
        }
        provider.end()
        isReading.withLock { $0 = true }
        let refused = try await refusal(&events)?.count ?? 0
        #expect((refused == 0) == readsAgain)
        try await until { try rows(of: server) == count - refused }
    }

    private func rows(of server: ScriptedServer) throws -> Int {
        var rows = 0
        for call in server.calls.dropFirst() {
            let columns = try call.parameters.objects("samples")[0].object("values").object("columns")
            rows += try columns.array("x").count
        }
        return rows
    }

    @Test("what cannot be provided is refused without a connection")
    func invalid() async {
        let broker = Broker(socket: "/nonexistent/io.sensorbroker.Broker")
        let offer = SensorOffer(intervals: .own(.zero))
        for provider in [
            broker.provide(Acceleration.self, offer: offer), broker.provide(Acceleration.self, named: "a", "b"),
            broker.provide(Acceleration.self, named: "the arm"),
            broker.provide(Acceleration.self, offer: SensorOffer(intervals: .oneOf([]))),
            Broker(socket: "/x/sensors.sock").provide(Acceleration.self),
        ] {
            let error = await #expect(throws: SensorError.self) { for try await _ in provider.demands {} }
            guard case .invalidRequest = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        let long = broker.provide(
            Acceleration.self, offer: SensorOffer(device: String(repeating: "d", count: 70_000)))
        #expect(long.error.map { "\($0)".contains("65536 bytes") } == true)
        let twice = broker.provide(Acceleration.self, Acceleration.self)
        #expect(twice.error.map { "\($0)".contains("name of its own") } == true)
    }
}
