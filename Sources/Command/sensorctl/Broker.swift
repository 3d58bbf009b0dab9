internal import BrokerClient
internal import CLinux
internal import Glibc
internal import Platform
internal import Printable
internal import Programs
internal import Readings
internal import Varlink

/// The broker as the commands use it: finds its socket, calls it, and explains its errors.
///
/// Every call ends within the timeout, which covers connecting, sending and waiting for the answer. It has to: a stopped
/// broker's socket still accepts connections until its backlog is full, and then `connect` blocks.
struct Broker {
    /// The timeout without `--timeout`: as long as the broker itself waits for a reading.
    static let usualTimeoutNanoseconds: Int64 = 10_000_000_000
    /// How much longer a broker gets for a call that has a timeout of its own, so that it can report that timeout itself.
    static let graceNanoseconds: Int64 = 2_000_000_000

    /// The paths at which its socket may be, tried in this order.
    let paths: [String]
    /// The name of the instance, taken from the suffix of the socket's name; nil for the first one.
    var instance: String?
    /// How long a call may take.
    var timeoutNanoseconds = Self.usualTimeoutNanoseconds
    /// How long to go on looking while nothing listens at any of the paths.
    var patienceNanoseconds: Int64 = 0
    /// Whether it is the administrator's socket.
    private(set) var isAdmin = false
    /// Where the socket for clients may be, if this is another one.
    private var clientPaths: [String] = []

    init(
        paths: [String], instance: String? = nil, timeoutNanoseconds: Int64 = Self.usualTimeoutNanoseconds
    ) {
        self.paths = paths
        self.instance = instance ?? paths.first.flatMap { SocketPath.instance(ofSocket: $0) }
        self.timeoutNanoseconds = timeoutNanoseconds
    }

    /// The same broker's socket for its administrator.
    func admin() throws(Failure) -> Self {
        var admin = try beside("Admin", "administrator's socket") { SocketPath.admin(besideBroker: $0) }
        admin.isAdmin = true
        return admin
    }

    /// The same broker's socket for programs that are sensors.
    func feed() throws(Failure) -> Self {
        try beside("Feed", "socket for feeds") { SocketPath.feed(besideBroker: $0) }
    }

    private func beside(_ name: String, _ words: String, _ path: (String) -> String?) throws(Failure) -> Self {
        let paths = paths.compactMap { path($0) }
        guard !paths.isEmpty else {
            throw Failure(
                .usage,
                "\(self.paths.joined(separator: " or ").printable) is not named like a broker's socket "
                    + "(io.sensorbroker.Broker), so the path of the \(words) cannot be derived; "
                    + "give its path: --socket …/io.sensorbroker.\(name)")
        }
        var broker = Self(paths: paths, instance: instance, timeoutNanoseconds: timeoutNanoseconds)
        broker.patienceNanoseconds = patienceNanoseconds
        broker.clientPaths = self.paths
        return broker
    }

    /// The resources, for a message about one that does not exist; empty if they are unknown.
    var knownResources: [Resource] {
        // An error of this call is not explained, because explaining it would make the same call again.
        let broker = clientPaths.isEmpty ? self : Self(paths: clientPaths, timeoutNanoseconds: timeoutNanoseconds)
        guard case .success(let answer, _)? = try? broker.reply(to: Interface.listResources) else { return [] }
        return (try? Self.resources(in: answer)) ?? []
    }

    /// Connects to the first path at which a broker listens, and looks again for a moment while there is none.
    func connect() throws(Failure) -> BrokerConnection {
        let end = BootClock.after(timeoutNanoseconds)
        return try patiently { () throws(ConnectRefusal) in
            try SocketPath.connect(firstOf: paths) { path throws(SystemError) in
                try BrokerConnection(path: path, patienceNanoseconds: max(1, BootClock.nanoseconds(until: end)))
            }
        }
    }

    /// Connects in some way, and tries again for a moment while nothing listens.
    func patiently<Connection: ~Copyable>(
        _ connect: () throws(ConnectRefusal) -> Connection
    ) throws(Failure) -> Connection {
        let looksUntil = BootClock.after(min(timeoutNanoseconds, patienceNanoseconds))
        while true {
            do throws(ConnectRefusal) { return try connect() } catch {
                let mayCome = error.isAbsence || error.error.code == ECONNREFUSED
                guard mayCome, BootClock.nanoseconds(until: looksUntil) > 0 else {
                    throw error.isAbsence ? missing : failure(of: error.path, error.error)
                }
                _ = Wait.untilReadable(-1, nanoseconds: SocketPath.pauseNanoseconds)
            }
        }
    }

    /// The failure of a broker whose socket is at none of the paths.
    var missing: Failure {
        // Each socket has a unit of its own.
        if clientPaths.contains(where: { unsafe access($0, F_OK) == 0 && !paths.contains($0) }) {
            return Failure(
                .unavailable,
                "sensorbrokerd has no socket \(paths.joined(separator: " nor ")): it is of an older version, or that socket "
                    + "is not started: sudo systemctl start \(service.sockets.joined(separator: " "))")
        }
        return Failure(
            .unavailable,
            "sensorbrokerd is not running: there is no socket \(paths.joined(separator: " nor ")). "
                + "\(start), or try it out with: sensorbrokerd --mock --exec sensorctl list")
    }

    /// The same broker for a stream of limited duration: its timeout is no longer than that, but at least the grace time,
    /// which a busy host may need.
    func beginning(within nanoseconds: Int64?) -> Self {
        guard let nanoseconds else { return self }
        var broker = self
        broker.timeoutNanoseconds = min(timeoutNanoseconds, max(nanoseconds, Self.graceNanoseconds))
        return broker
    }

    /// Makes a call and returns its result.
    func call(
        _ method: String, _ parameters: JSONObject = [:], graceNanoseconds: Int64 = 0
    ) throws(Failure) -> Parameters {
        switch try reply(to: method, parameters, graceNanoseconds: graceNanoseconds) {
        case .success(let parameters, _): return parameters
        case .failure(let error): throw failure(for: error)
        }
    }

    /// Makes a call and returns the reply; `graceNanoseconds` is for calls in which the broker itself waits for
    /// something.
    func reply(
        to method: String, _ parameters: JSONObject = [:], graceNanoseconds: Int64 = 0
    ) throws(Failure) -> Reply {
        let end = BootClock.after(timeoutNanoseconds)
        var connection = try connect()
        try connection.ask(Call(method, parameters: parameters))
        if let reply = try connection.answer(until: end.addingSaturating(graceNanoseconds)) { return reply }
        throw mute(connection.path)
    }

    /// The failure of a broker that accepts connections but does not answer.
    func mute(_ path: String?) -> Failure {
        Failure(
            .timedOut,
            "the broker at \(path ?? paths.joined(separator: " or ")) does not answer: it is stopped, or hangs. "
                + "See: systemctl status \(service.unit); to wait longer: --timeout 1min")
    }

    /// Explains why connecting to a path failed, and what to do about it.
    func failure(of path: String, _ error: SystemError) -> Failure {
        switch error.code {
        case EAGAIN: mute(path)
        case EACCES, EPERM:
            Failure(.notPermitted, isAdmin ? deniedToUsers(path) : denied(path))
        case ECONNREFUSED:
            Failure(.unavailable, "nothing listens at \(path): sensorbrokerd stopped. \(start)")
        default:
            Failure(
                .unavailable,
                "cannot connect: \(error). Is it the right \(instance == nil ? "--socket" : "--instance")?")
        }
    }

    private func deniedToUsers(_ path: String) -> String {
        // Without the path, sudo would do it to the host's broker.
        let client = zip(paths, clientPaths).first { $0.0 == path }?.1
        let named = client.flatMap { isOfHost($0) ? nil : $0 }
        let remedy = named.map { "with: sudo sensorctl --socket \($0.printable) …" } ?? "with sudo"
        return "only the broker's administrator may use \(path); try it \(remedy)"
    }

    /// Whether it is where a host's broker has its socket.
    private func isOfHost(_ path: String) -> Bool {
        SocketPath.candidates(named: nil, instance: instance, userRuntimeDirectory: nil).contains(path)
    }

    private func denied(_ path: String) -> String {
        let hasGroup = unsafe getgrnam("sensorbroker") != nil
        let remedy = SocketOwner(of: path).remedy(
            for: "$USER", path: path,
            restart: hasGroup && clientPaths.isEmpty && isOfHost(path) ? "restart the broker" : nil)
        return "you may not use \(path): \(remedy)"
    }

    /// The names of its systemd units and files, if it runs as a service.
    var service: ServiceName { ServiceName(instance: instance) }

    /// How to start it, if a broker would make a socket at the first path.
    private var start: String {
        guard let path = paths.first, let directory = SocketPath.directory(ofSocket: path, instance: instance) else {
            return "Check --socket or $SENSORBROKER_SOCKET"
        }
        if Reconnecting.isService(path) { return "Start it with: sudo systemctl start \(service.unit)" }
        let option = directory == "/run/sensorbroker" ? "" : " --runtime-directory \(directory)"
        return "Start it with: \(service.command)\(option)"
    }
}

/// The names of a broker's units, configuration file and commands: of `sensorbrokerd`, or of a named instance of it.
struct ServiceName: Equatable {
    /// The name of the instance; nil for the first broker.
    let instance: String?

    /// The service unit, without its suffix.
    var unit: String { instance.map { "sensorbrokerd@\($0)" } ?? "sensorbrokerd" }
    /// The socket units: for clients, for the administrator, and for programs that are sensors.
    var sockets: [String] {
        let suffix = instance.map { "@\($0)" } ?? ""
        return ["sensorbrokerd", "sensorbrokerd-admin", "sensorbrokerd-feed"].map { "\($0)\(suffix).socket" }
    }
    var configuration: String { "/etc/sensorbroker/sensorbrokerd\(instance.map { ".\($0)" } ?? "").conf" }
    var command: String { "sensorbrokerd\(instance.map { " --instance \($0)" } ?? "")" }
    var check: String { "\(command) --check-config" }
    var log: String { "journalctl -u \(unit)" }
}
