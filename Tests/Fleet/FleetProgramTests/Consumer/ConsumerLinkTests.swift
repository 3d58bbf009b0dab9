import Fleet
import MQTT
import Programs
import Spool
import Testing

@testable import sensorbroker_fleet

/// A consumer's connection on virtual time, to the model of a server.
private final class Rig {
    let server = ModelServer()
    private(set) var notes: [String] = []
    private(set) var came: [ServerMessage] = []
    private(set) var plans: [ConnectionPlan] = []
    private var now: Int64 = 1_000_000_000_000
    private var link: ConsumerLink?

    func start(_ words: String..., settings change: (inout FleetSettings) -> Void = { _ in }) throws {
        var settings = FleetSettings()
        settings.server = try ServerAddress(parsing: "mqtt://server")
        change(&settings)
        link = try ConsumerLink(
            settings, try Arguments(["watch"] + words), signals: nil, note: { [unowned self] in notes.append($0) },
            make: { [unowned self] plan in
                plans.append(plan)
                return ModelConnection(server, plan.version, wantsKeptWill: false)
            })
    }

    func run(seconds: Int64) throws {
        let end = now + seconds * 1_000_000_000
        while now < end {
            server.now = now
            came += try link?.turn(now, isReadable: true) ?? []
            now += 100_000_000
        }
    }

    var isOnline: Bool { link?.isOnline == true }

    func ask(_ host: String, _ request: ResendRequest) { link?.send([(host, request)]) }

    func close() { link?.close() }
}

@Suite struct ConsumerLinkTests {
    @Test("it subscribes to what is wanted, and no more")
    func filters() throws {
        for (words, filters) in [
            ([], ["fleet/+/#"]), (["--host", "truck"], ["fleet/truck/#"]), (["--host", "tr*"], ["fleet/+/#"]),
            (
                ["--host", "truck", "--resource", "location,light"],
                [
                    "fleet/truck/status", "fleet/truck/light", "fleet/truck/light/late", "fleet/truck/location",
                    "fleet/truck/location/late",
                ]
            ),
        ] as [([String], [String])] {
            let rig = Rig()
            switch words.count {
            case 2: try rig.start(words[0], words[1])
            case 4: try rig.start(words[0], words[1], words[2], words[3])
            default: try rig.start()
            }
            try rig.run(seconds: 1)
            #expect(rig.isOnline && rig.server.subscriptions == filters)
        }
    }

    @Test("a first connection that fails is reported at once, with the exit status")
    func refused() throws {
        for (reason, status, words) in [
            (0x86, 77, "Bad User Name or Password"), (0x87, 77, "Not authorized"), (0x88, 69, "Server unavailable"),
            (0x8A, 69, "Banned"),
        ] as [(Int32, Int32, String)] {
            let rig = Rig()
            rig.server.greeting = { _ in reason }
            try rig.start()
            do {
                try rig.run(seconds: 1)
                Issue.record("\(reason) was accepted")
            } catch let failure as Failure {
                #expect(failure.status.rawValue == status && failure.description.contains(words), "\(failure)")
            }
        }
    }

    @Test("a network that refuses, and a name server that is silent, are reported at first")
    func unreachable() throws {
        for (network, seconds, words) in [
            (.refusing, 1, "mqtt://server:1883 cannot be used: Connection refused"),
            (.silent, 25, "nobody answered within 20 s"),
        ] as [(ModelServer.Network, Int64, String)] {
            let rig = Rig()
            rig.server.set(network)
            try rig.start()
            do {
                try rig.run(seconds: seconds)
                Issue.record("it connected")
            } catch let failure as Failure {
                #expect(failure.status.rawValue == 69 && failure.description.contains(words), "\(failure)")
            }
        }
    }

    @Test("what may not be read is reported with a remedy")
    func denied() throws {
        let rig = Rig()
        rig.server.subscriptionReason = 0x87
        try rig.start("--host", "truck")
        do {
            try rig.run(seconds: 1)
            Issue.record("it was accepted")
        } catch let failure as Failure {
            #expect(
                failure.status.rawValue == 77
                    && failure.description.contains("to read fleet/truck/#: name what is allowed"))
        }
    }

    @Test("later, a connection that ends is tried again within some seconds, and reported once each time")
    func again() throws {
        let rig = Rig()
        try rig.start()
        try rig.run(seconds: 1)
        rig.server.cut()
        try rig.run(seconds: 10)
        #expect(rig.isOnline && rig.server.introductions.count == 2)
        #expect(
            rig.notes == [
                "not connected to mqtt://server:1883: The connection was lost.; it is tried again",
                "connected to mqtt://server:1883 again",
            ])
        rig.server.set(.refusing)
        try rig.run(seconds: 60)
        #expect(!rig.isOnline && rig.notes.count == 3)
        rig.server.set(.open)
        try rig.run(seconds: 6)
        #expect(rig.isOnline && rig.notes.count == 4)
    }

    @Test("a server of 3.1.1 is used")
    func former() throws {
        let rig = Rig()
        rig.server.versions = [.three]
        try rig.start()
        try rig.run(seconds: 2)
        #expect(rig.isOnline && rig.plans.map(\.version) == [.five, .three])
    }

    @Test("a server that closes connections of 5 is used with 3.1.1; one that closes all is reported at once")
    func closes() throws {
        let rig = Rig()
        rig.server.closes = { $0 == .five }
        try rig.start()
        try rig.run(seconds: 2)
        #expect(rig.isOnline && rig.plans.map(\.version) == [.five, .five, .three, .five, .three])
        for version in [nil, .five] as [ProtocolVersion?] {
            let other = Rig()
            other.server.closes = { _ in true }
            try other.start { $0.version = version }
            do {
                try other.run(seconds: 2)
                Issue.record("it connected")
            } catch let failure as Failure {
                #expect(failure.description.contains("write Version=3.1.1") == (version == .five), "\(failure)")
            }
            #expect(other.plans.map(\.version) == (version == nil ? [.five, .five, .three] : [.five]))
        }
    }

    @Test("what may not be read any more after a new connection is reported, and tried again")
    func deniedLater() throws {
        let rig = Rig()
        try rig.start()
        try rig.run(seconds: 1)
        rig.server.subscriptionReason = 0x87
        rig.server.cut()
        try rig.run(seconds: 10)
        #expect(!rig.isOnline)
        rig.server.subscriptionReason = 1
        try rig.run(seconds: 10)
        #expect(rig.isOnline)
    }

    @Test("what is kept and what comes is delivered once, and kept apart")
    func messages() throws {
        let rig = Rig()
        rig.server.publish("fleet/truck/status", [1], isRetained: true)
        try rig.start()
        try rig.run(seconds: 1)
        rig.server.publish("fleet/truck/light", [2])
        rig.server.publish("other/truck/light", [3])
        try rig.run(seconds: 1)
        #expect(rig.came.map(\.payload) == [[1], [2]] && rig.came.map(\.isRetained) == [true, false])
        let request = ResendRequest(
            resource: "light", epoch: Identity(utcMicroseconds: 0, random: (1, 1)), numbers: 1...2)
        rig.ask("truck", request)
        #expect(rig.server.published.map(\.topic) == ["fleet/truck/resend"])
        #expect(rig.server.published.map { ResendRequest($0.payload) } == [request])
        rig.close()
        #expect(!rig.server.isConnected)
    }

    @Test("each program has a name of its own, and a session that outlives a connection")
    func plan() throws {
        let rig = Rig()
        try rig.start { ($0.user, $0.version) = ("reader", .five) }
        try rig.run(seconds: 1)
        let other = Rig()
        try other.start()
        try other.run(seconds: 1)
        let plan = try #require(rig.plans.first)
        #expect(plan.clientID.hasPrefix("sensorctl-") && plan.clientID != other.plans.first?.clientID)
        #expect(plan.user == "reader" && plan.sessionSeconds == 300 && plan.will == nil)
    }
}
