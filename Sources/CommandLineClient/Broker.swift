internal import BrokerClient
internal import CLinux
internal import Platform
internal import Varlink

/// The broker as the commands use it: found at one of some paths, called, and its errors put into words.
///
/// Every call ends within the timeout, which covers connecting, sending and waiting for the answer. It has to: a stopped
/// broker's socket still accepts connections until its backlog is full, and then `connect` blocks.
struct Broker {
    /// The timeout without `--timeout`: as long as the broker itself waits for a reading.
    static let usualTimeoutNanoseconds: Int64 = 10_000_000_000
    /// How much longer a broker gets for a call that has a timeout of its own, so that it can report that timeout itself.
    static let graceNanoseconds: Int64 = 2_000_000_000

    /// Where its socket may be, to be tried in this order.
    let paths: [String]
    /// The name of the instance, which a socket tells by the suffix of its name; nil for the first one.
    var instance: String?
    /// How long a call may take.
    var timeoutNanoseconds = Self.usualTimeoutNanoseconds
    /// Whether it is the administrator's socket.
    private(set) var isAdmin = false
    /// Where the socket for clients may be, if this is the administrator's.
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
        let paths = paths.compactMap { SocketPath.admin(besideBroker: $0) }
        guard !paths.isEmpty else {
            throw Failure(
                .usage,
                "\(self.paths.joined(separator: " or ").printable) is not named like a broker's socket "
                    + "(io.sensorbroker.Broker), so the administrator's socket beside it is not known; "
                    + "give its path: --socket …/io.sensorbroker.Admin")
        }
        var admin = Self(paths: paths, instance: instance, timeoutNanoseconds: timeoutNanoseconds)
        admin.isAdmin = true
        admin.clientPaths = self.paths
        return admin
    }

    /// The names of the resources, for a message about one that does not exist; none if they cannot be had.
    var knownNames: [String] {
        // An error in answer to that is not explained in turn: it may be the same once more.
        let broker = isAdmin ? Self(paths: clientPaths, timeoutNanoseconds: timeoutNanoseconds) : self
        guard case .success(let answer, _)? = try? broker.reply(to: Interface.listResources) else { return [] }
        return (try? Self.resources(in: answer))?.map { $0.name.printable } ?? []
    }

    /// Connects to the first path at which somebody listens.
    func connect() throws(Failure) -> BrokerConnection {
        var refusal: Failure?
        let end = BootClock.after(timeoutNanoseconds)
        for path in paths {
            let patience = max(1, BootClock.nanoseconds(until: end))
            do { return try BrokerConnection(path: path, patienceNanoseconds: patience) } catch {
                if error.code != ENOENT { refusal = refusal ?? failure(of: path, error) }
            }
        }
        throw refusal
            ?? Failure(
                .unavailable,
                "sensorbrokerd is not running: there is no socket \(paths.joined(separator: " nor ")). "
                    + "Start it with: \(startCommand), or try it out with: sensorbrokerd --mock --exec sensorctl list")
    }

    /// The same broker for a stream of limited duration: its timeout is no longer than that, but at least the grace time,
    /// which a busy host may need.
    func beginning(within nanoseconds: Int64?) -> Self {
        guard let nanoseconds else { return self }
        var broker = self
        broker.timeoutNanoseconds = min(timeoutNanoseconds, max(nanoseconds, Self.graceNanoseconds))
        return broker
    }

    /// What a plain call returns.
    func call(
        _ method: String, _ parameters: JSONObject = [:], graceNanoseconds: Int64 = 0
    ) throws(Failure) -> Parameters {
        switch try reply(to: method, parameters, graceNanoseconds: graceNanoseconds) {
        case .success(let parameters, _): return parameters
        case .failure(let error): throw failure(for: error)
        }
    }

    /// The reply to a plain call; `graceNanoseconds` is added for calls in which the broker itself waits for something.
    func reply(
        to method: String, _ parameters: JSONObject = [:], graceNanoseconds: Int64 = 0
    ) throws(Failure) -> Reply {
        let end = BootClock.after(timeoutNanoseconds)
        var connection = try connect()
        try connection.ask(Call(method, parameters: parameters))
        let (sum, overflow) = end.addingReportingOverflow(graceNanoseconds)
        if let reply = try connection.answer(until: overflow ? .max : sum) { return reply }
        throw mute(connection.path)
    }

    /// The failure of a broker that accepts connections but does not answer.
    func mute(_ path: String?) -> Failure {
        Failure(
            .timedOut,
            "the broker at \(path ?? paths.joined(separator: " or ")) does not answer: it is stopped, or hangs. "
                + "See: systemctl status \(service.unit); to wait longer: --timeout 1min")
    }

    /// The failure of a broker that sends nothing any more, although it should have said something by now.
    var silent: Failure {
        Failure(.timedOut, "the broker has been silent for too long; its log may tell why: \(service.log)")
    }

    /// What went wrong when a path was connected to, and what to do about it.
    func failure(of path: String, _ error: SystemError) -> Failure {
        switch error.code {
        case EAGAIN: mute(path)
        case EACCES, EPERM:
            Failure(
                .notPermitted,
                isAdmin
                    ? "only the broker's administrator may use \(path); try it with sudo"
                    : "you may not use \(path): add yourself to its group with "
                        + "'sudo usermod -aG sensorbroker $USER' and log in again")
        case ECONNREFUSED:
            Failure(.unavailable, "nobody listens at \(path): sensorbrokerd stopped. Start it with: \(startCommand)")
        default:
            Failure(
                .unavailable,
                "cannot connect: \(error). Is it the right \(instance == nil ? "--socket" : "--instance")?")
        }
    }

    /// What its service is called, if it is one.
    var service: ServiceName { ServiceName(instance: instance) }

    private var startCommand: String { "sudo systemctl start \(service.unit)" }
}
