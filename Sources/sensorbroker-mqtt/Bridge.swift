internal import BrokerClient
internal import Configuration
internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform
internal import Spool

/// The loop: what the broker says goes into the spool, what is in the spool goes to the server.
final class Bridge {
    private enum Token {
        static let signals: UInt64 = 1
        static let bell: UInt64 = 2
        static let server: UInt64 = 3
    }

    private let journal = Journal(program: Program.name)
    private let manager = ServiceManager()
    private let store: Store
    private let uplink: Uplink
    private let feeds: Feeds
    private let bell: Bell
    private let lock: InstanceLock
    private var watched: (generation: Int, interest: EventLoop.Interest)?
    private var loggedFailure: DiskFailure?
    private var loggedLosses: UInt64 = 0
    private var lossesDue: Int64 = 0

    private static let second: Int64 = 1_000_000_000

    init(_ arguments: Arguments, _ settings: FleetSettings) throws(StartFailure) {
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
        let bell: Bell
        do throws(SystemError) { bell = try Bell() } catch { throw StartFailure(71, "\(error)") }
        do {
            store = try Store(try SpoolDirectory(path: path), settings, bootID: facts.bootID)
        } catch {
            throw StartFailure(73, "the spool cannot be opened: \(error); see --spool")
        }
        self.bell = bell
        MQTTConnection.begin()
        let will = Wire.status(.lost, epoch: store.spool.epoch, streams: [])
        uplink = Uplink(settings, store, topics, bell, journal) { (version, retains) throws(StartFailure) in
            guard let server = settings.server else { throw StartFailure(78, "there is no server") }
            let password = passwordFile.flatMap { SmallFile.line(at: $0) }
            var plan = ConnectionPlan(server, clientID: "sensorbroker-\(facts.host)", version: version)
            (plan.certificate, plan.key, plan.authority) = (certificate, key, authority)
            (plan.user, plan.password, plan.will) = (settings.user, password, (topics.status, will))
            plan.isWillKept = retains
            // Requests are small, and the library holds a message in memory as a whole.
            plan.mostPayloadBytes = 15 << 10
            return plan
        }
        let environment = unsafe getenv("SENSORBROKER_SOCKET").map { unsafe String(cString: $0) }
        let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
        let paths = SocketPath.candidates(named: arguments.socket ?? environment, userRuntimeDirectory: runtime)
        feeds = Feeds(settings, facts, topics, paths: paths, store, uplink, journal)
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
        try loop.add(bell.event.descriptor, .read, token: Token.bell)
        tellRecovery()
        manager.ready("Starting")
        var ready = ReadyList()
        while true {
            let wake = try turn(&loop, ready)
            try loop.wait(nanoseconds: max(0, wake - Clock.bootNanoseconds()), into: &ready)
            if ready.contains(where: { $0.token == Token.signals }), case .stop? = signals.take() { break }
            if ready.contains(where: { $0.token == Token.bell }) { bell.event.clear() }
        }
        manager.stopping()
        uplink.close()
        store.close()
        return 0
    }

    /// Does all that is due; when to wake up.
    private func turn(_ loop: inout EventLoop, _ ready: ReadyList) throws(SystemError) -> Int64 {
        let now = Store.now()
        var wake = now.bootNanoseconds + 60 * Self.second
        wake = min(wake, try feeds.turn(now, &loop, ready))
        wake = min(wake, store.turn(now))
        wake = min(wake, uplink.turn(now.bootNanoseconds, isReadable: ready.contains { $0.token == Token.server }))
        try watchServer(&loop)
        tellFailures(now.bootNanoseconds)
        return min(wake, manager.turn(now.bootNanoseconds) { uplink.summary })
    }

    /// The kernel forgets a socket when it is closed.
    private func watchServer(_ loop: inout EventLoop) throws(SystemError) {
        guard let socket = uplink.socket else {
            watched = nil
            return
        }
        let interest: EventLoop.Interest = uplink.wantsToWrite ? [.read, .write] : .read
        if watched?.generation != uplink.generation {
            try loop.add(socket, interest, token: Token.server)
        } else if watched?.interest != interest {
            try loop.change(socket, interest, token: Token.server)
        }
        watched = (uplink.generation, interest)
    }

    // MARK: Telling the administrator

    private func tellRecovery() {
        let recovery = store.spool.recovery
        if recovery.damagedBytes > 0, recovery.hasEnd || store.spool.lostNumbers > 0 {
            journal.write(
                .warning,
                "\(recovery.damagedBytes) bytes of the spool were damaged; consumers are told which numbers are lost",
                .fleetLost, [.reason: "the disk did not return what was written"])
        }
        loggedLosses = store.spool.lostNumbers
    }

    private func tellFailures(_ now: Int64) {
        let failure = store.takeFailure()
        if let failure, failure != loggedFailure {
            journal.write(
                .error,
                "the spool: \(failure)\(failure.isFull ? "; make room, or write a smaller MaxBytes= under [Spool]" : "")"
            )
        }
        loggedFailure = failure
        let lost = store.spool.lostNumbers
        guard lost > loggedLosses, now >= lossesDue else { return }
        journal.write(
            .warning, "\(lost - loggedLosses) messages are lost; consumers are told which", .fleetLost,
            [.reason: "the spool is full, its disk is full, or the server takes no messages of this size"])
        loggedLosses = lost
        lossesDue = now + 60 * Self.second
    }
}
