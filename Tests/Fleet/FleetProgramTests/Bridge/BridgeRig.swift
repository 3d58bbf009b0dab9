import Configuration
import Fleet
import MQTT
import Platform
import Spool
import Testing
import TestTools

@testable import sensorbroker_mqtt

/// The bridge's loop on virtual time, with models of the broker and the server, and a spool in a directory of its own.
final class BridgeRig {
    let server = ModelServer()
    let broker = ModelBroker()
    let log = Log()
    let folder: TemporaryDirectory
    var receiver = Receiver()
    /// Whether the consumer reads what the server delivers.
    var isReading = true
    var settings = FleetSettings()
    var boot = Identity(utcMicroseconds: 1, random: (1, 1))
    /// A number from 0 to 1, for the bridge's waits.
    var random = 0.5
    /// How far UTC is ahead of what it would be.
    var stepMicroseconds: Int64 = 0
    /// Whether UTC follows a reference.
    var isSynchronized: Bool?
    private(set) var now: Int64 = 1_000_000_000_000

    private var loop: EventLoop
    private var ready = ReadyList()
    private(set) var bridge: Bridge?

    struct Stuck: Error {}

    init(
        _ readings: [(String, String)] = [("location", "1s"), ("light", "1s batch 2s")],
        _ change: (inout FleetSettings) -> Void = { _ in }
    ) throws {
        folder = try TemporaryDirectory()
        loop = try EventLoop()
        settings.server = try ServerAddress(parsing: "mqtt://server")
        settings.host = "truck"
        settings.readings = try readings.map { try WantedReading(resource: $0, parsing: $1) }
        settings.sync = TimeSpan(nanoseconds: 5_000_000_000)
        settings.backlogSpeed = nil
        change(&settings)
    }

    /// The directory of the spool.
    var directory: String { folder.path }

    var moment: Moment {
        Moment(
            bootNanoseconds: now, utcMicroseconds: 1_790_000_000_000_000 + now / 1_000 + stepMicroseconds,
            isSynchronized: isSynchronized)
    }

    /// A new program begins.
    @discardableResult
    func start() throws -> Self {
        loop = try EventLoop()
        let journal = Journal(handingTo: log.take)
        let topics = Topics(prefix: settings.prefix, host: settings.host)
        let writer = try SpoolWriter(try SpoolDirectory(path: directory), settings, bootID: boot, moment)
        guard let server = settings.server else { throw Stuck() }
        var plan = ConnectionPlan(server, clientID: "bridge", version: .five)
        plan.certificate = settings.certificate
        plan.will = .init(topic: topics.status, payload: [], isKept: true)
        let link = ServerLink(
            plan, versions: settings.version, .publisher,
            filters: topics.filters(withSets: settings.allowsRemoteInterval), random: { [unowned self] in random }
        ) { [model = self.server] plan in ModelConnection(model, plan.version, wantsKeptWill: plan.will?.isKept == true)
        }
        let uplink = Uplink(settings, writer, topics, link, journal)
        let subscriptions = Subscriptions(
            settings, topics, ownTracks: settings.ownTracks, paths: ["/broker"], writer, uplink, journal
        ) { [broker] path throws(SystemError) in try broker.dial(path) }
        bridge = Bridge(writer, uplink, subscriptions, journal)
        return self
    }

    private var idleTurns = 0

    /// The program asks again and again to be called at once, and does nothing then.
    struct Spinning: Error {}

    /// The program is killed.
    func kill() {
        bridge = nil
        server.cut()
    }

    /// The program ends in order.
    func stop() throws {
        bridge?.drain()
        let end = now + 1_000_000_000
        repeat { try step(before: end) } while now < end && bridge?.hasDrained == false
        bridge?.close(moment)
        bridge = nil
        server.cut()
        read()
    }

    /// The host is switched off for some seconds: its clock begins anew, and UTC goes on.
    func reboot(offSeconds seconds: Int64) {
        bridge = nil
        server.cut()
        boot = Identity(utcMicroseconds: 2, random: (UInt64(now), 2))
        let before = moment.utcMicroseconds
        now = 5_000_000_000
        stepMicroseconds += before + seconds * 1_000_000 + now / 1_000 - moment.utcMicroseconds
    }

    /// Time goes on, until something is so; it has to be within some seconds.
    func run(within seconds: Int64 = 600, until isThere: (BridgeRig) -> Bool) throws {
        let end = now + seconds * 1_000_000_000
        while !isThere(self) {
            guard now < end else { throw Stuck() }
            try step(before: end)
        }
    }

    /// Time goes on.
    func run(seconds: Double) throws {
        let end = now + Int64(seconds * 1e9)
        while now < end { try step(before: end) }
    }

    /// Time goes on without a server, which is there again afterwards.
    func runWithoutServer(seconds: Double) throws {
        server.set(.refusing)
        try run(seconds: seconds)
        server.set(.open)
    }

    /// Until nothing is missing after the newest status; what is missing is asked for.
    func runUntilComplete(within seconds: Int64 = 600) throws {
        let count = receiver.reports.count
        try run(within: seconds) { $0.receiver.reports.count > count + 1 }
        let end = now + seconds * 1_000_000_000
        while !receiver.missing.isEmpty {
            guard now < end else { throw Stuck() }
            for missing in receiver.missing {
                for range in missing.ranges.prefix(16) { ask(missing.resource, missing.epoch, range) }
            }
            try run(seconds: 2)
        }
    }

    /// The consumer asks for numbers.
    func ask(_ resource: String, _ epoch: Identity, _ numbers: ClosedRange<UInt64>) {
        send(
            "resend",
            #"{"resource":"\#(resource)","epoch":"\#(epoch)","from":\#(numbers.lowerBound),"to":\#(numbers.upperBound)}"#
        )
    }

    /// Somebody publishes on a topic of the host.
    func send(_ topic: String, _ text: String, isRetained: Bool = false) {
        server.publish("fleet/truck/\(topic)", Array(text.utf8), isRetained: isRetained)
    }

    /// The newest text on a topic of the host.
    func newest(_ topic: String) -> String? {
        server.published.last { $0.topic == "fleet/truck/\(topic)" }.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    private func step(before end: Int64) throws {
        (server.isTouched, broker.isTouched) = (false, false)
        server.now = now
        broker.advance(now)
        var wake = Int64.max
        if let bridge {
            try loop.wait(nanoseconds: 0, into: &ready)
            wake = try bridge.turn(moment, &loop, ready)
        }
        read()
        let isBusy = server.isTouched || broker.isTouched
        // Wakes that are already over, after which nothing happens, are a processor at full speed.
        idleTurns = isBusy || wake > now ? 0 : idleTurns + 1
        guard idleTurns < 1_000 else { throw Spinning() }
        now = isBusy ? now + 1_000 : min(end, max(now + 1_000, min(wake, broker.next)))
    }

    private func read() {
        guard isReading else { return }
        for message in server.takeQueue() {
            receiver.take(message.topic, message.payload, isRetained: message.isRetained)
        }
    }
}

/// What is logged for the administrator.
final class Log: Sendable {
    private let all = Locked<[String]>([])

    func take(_ priority: Journal.Priority, _ text: String) { all.withLock { $0.append(text) } }

    var lines: [String] { all.withLock { $0 } }

    /// How many lines have these words.
    func count(_ words: String) -> Int { lines.count { $0.contains(words) } }

    func has(_ words: String) -> Bool { count(words) > 0 }
}
