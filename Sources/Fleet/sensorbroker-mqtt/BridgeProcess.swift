internal import BrokerClient
internal import Configuration
internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform
internal import Spool

/// The bridge as a process: its files, its signals, and what the service manager is told.
final class BridgeProcess {
    private enum Token {
        static let signals: UInt64 = 1
    }

    /// How long the broker may take to send what it has gathered, before the end.
    private static let patience = Nanoseconds.second

    private let manager = ServiceManager()
    private let bridge: Bridge
    private let lock: InstanceLock

    init(_ arguments: Arguments, _ settings: FleetSettings) throws(StartFailure) {
        let journal = Journal(program: Program.name)
        let facts = try HostFacts(settings)
        let topics = Topics(prefix: settings.prefix, host: facts.host)
        let certificate = try settings.certificate.map { name throws(StartFailure) in
            try Credential.path(name, "Certificate")
        }
        let key = try settings.key.map { name throws(StartFailure) in try Credential.path(name, "Key") }
        let authority = try settings.authority.map { name throws(StartFailure) in try Credential.path(name, "Authority")
        }
        let passwordFile = try settings.passwordFile.map { name throws(StartFailure) in
            try Credential.path(name, "PasswordFile")
        }
        let path = arguments.spool ?? Self.stateDirectory
        unsafe mkdir(path, 0o700)
        do throws(LockFailure) { lock = try InstanceLock(path: "\(path)/lock") } catch {
            switch error {
            case .held, .taken: throw StartFailure(69, "another program has this spool: \(error)")
            case .system(let error): throw StartFailure(73, "the spool cannot be used: \(error); see --spool")
            }
        }
        let store: Store
        do {
            store = try Store(try SpoolDirectory(path: path), settings, bootID: facts.bootID, Self.now())
        } catch {
            throw StartFailure(73, "the spool cannot be opened: \(error); see --spool")
        }
        let will = Wire.status(.lost, epoch: store.spool.epoch, streams: [])
        let link = ServerLink(settings, host: facts.host, journal) { (version, retains) throws(StartFailure) in
            guard let server = settings.server else { throw StartFailure(78, "there is no server") }
            let password = passwordFile.flatMap { SmallFile.line(at: $0) }
            var plan = ConnectionPlan(server, clientID: "sensorbroker-\(facts.host)", version: version)
            (plan.certificate, plan.key, plan.authority) = (certificate, key, authority)
            (plan.user, plan.password) = (settings.user, password)
            plan.will = .init(topic: topics.status, payload: will, isKept: retains)
            // Requests are small, and the library holds a message in memory as a whole.
            plan.mostPayloadBytes = 15 << 10
            return try ConfinedConnection.begun(plan)
        }
        let uplink = Uplink(settings, store, topics, link, journal)
        let environment = unsafe getenv("SENSORBROKER_SOCKET").map { unsafe String(cString: $0) }
        let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
        let paths = SocketPath.candidates(named: arguments.socket ?? environment, userRuntimeDirectory: runtime)
        let feeds = Feeds(
            settings, topics, ownTracks: facts.ownTracks, paths: paths, store, uplink, journal
        ) { path throws(SystemError) in try SocketStream(path: path) }
        bridge = Bridge(store, uplink, feeds, journal)
    }

    /// Both clocks.
    private static func now() -> Moment {
        Moment(bootNanoseconds: Clock.bootNanoseconds(), utcMicroseconds: Clock.realtimeNanoseconds() / 1_000)
    }

    /// systemd gives the first of several.
    private static var stateDirectory: String {
        let given = unsafe getenv("STATE_DIRECTORY").map { unsafe String(cString: $0) }
        return given?.split(separator: ":").first.map(String.init) ?? "/var/lib/sensorbroker-mqtt"
    }

    /// Runs until a signal; the exit status.
    func run() throws(StartFailure) -> Int32 {
        do throws(SystemError) { return try serve() } catch { throw StartFailure(71, "\(error)") }
    }

    private func serve() throws(SystemError) -> Int32 {
        var loop = try EventLoop()
        let signals = try Signals()
        try loop.add(signals.number, .read, token: Token.signals)
        manager.ready("Starting")
        var ready = ReadyList()
        /// When it ends at the latest; nil: it goes on.
        var end: Int64?
        while true {
            let now = Self.now()
            var wake = try bridge.turn(now, &loop, ready)
            wake = min(wake, manager.turn(now.bootNanoseconds) { bridge.summary })
            if let end {
                if bridge.hasDrained || now.bootNanoseconds >= end { break }
                wake = min(wake, end)
            }
            try loop.wait(nanoseconds: max(0, wake - Clock.bootNanoseconds()), into: &ready)
            if ready.contains(where: { $0.token == Token.signals }), case .stop? = signals.take() {
                // The second signal ends it at once.
                guard end == nil else { break }
                manager.stopping()
                bridge.drain()
                end = Clock.bootNanoseconds() + Self.patience
            }
        }
        bridge.close(Self.now())
        return 0
    }
}
