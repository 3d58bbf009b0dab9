internal import BrokerClient
internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform
internal import Programs
internal import Spool

/// The bridge as a process: its files, its signals, and what is reported to the service manager.
final class BridgeProcess {
    private enum Token {
        static let signals: UInt64 = 1
    }

    /// What comes within so long of a turn is taken with what follows: a wake-up costs more than a message does.
    private static let paceNanoseconds = Nanoseconds.second / 200
    /// How long the broker may take to send what it has gathered, before the end.
    private static let patienceNanoseconds = Nanoseconds.second

    private let manager = ServiceStatus()
    private let bridge: Bridge
    private let lock: InstanceLock
    private var time = HostTime()

    init(_ arguments: Arguments, _ settings: FleetSettings) throws(Failure) {
        let journal = Journal(program: Program.name)
        let facts = try HostFacts(settings)
        let topics = Topics(prefix: settings.prefix, host: facts.host)
        var plan = try ConnectionPlan(settings, clientID: "sensorbroker-\(facts.host)")
        let path = arguments.spool ?? Self.stateDirectory
        unsafe mkdir(path, 0o700)
        do throws(LockFailure) { lock = try InstanceLock(path: "\(path)/lock") } catch {
            switch error {
            case .held, .taken: throw Failure(.unavailable, "another program has this spool: \(error)")
            case .system(let error): throw Failure(.cannotCreate, "the spool cannot be used: \(error); see --spool")
            }
        }
        let writer: SpoolWriter
        do {
            writer = try SpoolWriter(try SpoolDirectory(path: path), settings, bootID: facts.bootID, time.now())
        } catch {
            throw Failure(.cannotCreate, "the spool cannot be opened: \(error); see --spool")
        }
        let will = Wire.status(.lost, epoch: writer.spool.epoch, streams: [])
        plan.will = .init(topic: topics.status, payload: will, isKept: true)
        // Requests are small, and the library holds a message in memory as a whole.
        plan.mostPayloadBytes = 15 << 10
        let link = ServerLink(
            plan, versions: settings.version, .publisher,
            filters: topics.filters(withSets: settings.allowsRemoteInterval))
        let uplink = Uplink(settings, writer, topics, link, journal)
        let paths = SocketPath.candidates(
            named: arguments.socket ?? EnvironmentVariable.value("SENSORBROKER_SOCKET"),
            userRuntimeDirectory: EnvironmentVariable.value("XDG_RUNTIME_DIR"))
        let subscriptions = Subscriptions(
            settings, topics, ownTracks: facts.ownTracks, paths: paths, writer, uplink, journal
        ) { path throws(SystemError) in try SocketStream(path: path) }
        bridge = Bridge(writer, uplink, subscriptions, journal)
    }

    private static var stateDirectory: String {
        EnvironmentVariable.firstDirectory("STATE_DIRECTORY") ?? "/var/lib/sensorbroker-mqtt"
    }

    /// Runs until a signal; the exit status.
    func run() throws(Failure) -> ExitStatus {
        do throws(SystemError) { return try serve() } catch { throw Failure(.system, "\(error)") }
    }

    private func serve() throws(SystemError) -> ExitStatus {
        var loop = try EventLoop()
        let signals = try Signals()
        try loop.add(signals.number, .read, token: Token.signals)
        manager.ready("Starting")
        FilePages.release()
        ProcessMemory.returnFreed()
        var ready = ReadyList()
        /// When the bridge ends at the latest; nil while nobody asked it to end.
        var end: Int64?
        while true {
            let now = time.now()
            var wake = try bridge.turn(now, &loop, ready)
            wake = min(wake, manager.turn(now.bootNanoseconds) { bridge.summary })
            if let end {
                if bridge.hasDrained || now.bootNanoseconds >= end { break }
                wake = min(wake, end)
            }
            try loop.wait(nanoseconds: max(0, wake - Clock.bootNanoseconds()), into: &ready)
            let early = min(now.bootNanoseconds + Self.paceNanoseconds, wake) - Clock.bootNanoseconds()
            if early > 0, bridge.isRoomy { _ = Wait.untilReadable(-1, nanoseconds: early) }
            if ready.contains(where: { $0.token == Token.signals }), case .stop? = signals.take() {
                // The second signal ends it at once.
                guard end == nil else { break }
                manager.stopping()
                bridge.drain()
                end = Clock.bootNanoseconds() + Self.patienceNanoseconds
            }
        }
        bridge.close(time.now())
        return .done
    }
}

/// Both clocks, and whether the second one follows a reference, which is asked of the kernel once a second.
private struct HostTime {
    private var followsReference: Bool?
    private var askDue = Int64.min

    mutating func now() -> Moment {
        let now = ClockPair.now()
        if now.bootNanoseconds >= askDue {
            followsReference = Clock.followsReference
            askDue = now.bootNanoseconds + Nanoseconds.second
        }
        return Moment(
            bootNanoseconds: now.bootNanoseconds, utcMicroseconds: now.utcNanoseconds / 1_000,
            isSynchronized: followsReference)
    }
}
