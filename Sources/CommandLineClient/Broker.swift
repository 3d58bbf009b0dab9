internal import BrokerClient
internal import CLinux
internal import Platform
internal import Varlink

/// The broker as the commands use it: found at one of some paths, called, and its errors put into words.
struct Broker {
    /// How long the answer to a plain call may take; a Read may wait 10 s by itself.
    static let patienceNanoseconds: Int64 = 15_000_000_000

    /// Where its socket may be, to be tried in this order.
    let paths: [String]
    /// Whether it is the administrator's socket.
    var isAdmin = false

    /// The same broker's socket for its administrator.
    var admin: Self { Self(paths: paths.map { SocketPath.admin(besideBroker: $0) }, isAdmin: true) }

    /// Connects to the first path at which somebody listens.
    func connect() throws(Failure) -> BrokerConnection {
        var refusal: Failure?
        for path in paths {
            do { return try BrokerConnection(path: path) } catch {
                if error.code != ENOENT { refusal = refusal ?? failure(of: path, error) }
            }
        }
        throw refusal
            ?? Failure(
                .unavailable,
                "sensorbrokerd is not running: there is no socket \(paths.joined(separator: " nor ")). "
                    + "Start it with: sudo systemctl start sensorbrokerd, or try it out with: sensorbrokerd --mock")
    }

    /// What a plain call returns.
    func call(_ method: String, _ parameters: JSONObject = [:]) throws(Failure) -> Parameters {
        switch try reply(to: method, parameters) {
        case .success(let parameters, _): return parameters
        case .failure(let error): throw failure(for: error)
        }
    }

    /// What a plain call is answered with.
    func reply(to method: String, _ parameters: JSONObject = [:]) throws(Failure) -> Reply {
        var connection = try connect()
        try connection.ask(Call(method, parameters: parameters))
        if let reply = try connection.answer(until: BootClock.after(Self.patienceNanoseconds)) { return reply }
        throw Failure(.timedOut, "the broker does not answer; its log may tell: journalctl -u sensorbrokerd")
    }

    /// What went wrong when a path was connected to, and what to do about it.
    func failure(of path: String, _ error: SystemError) -> Failure {
        switch error.code {
        case EACCES, EPERM:
            Failure(
                .notPermitted,
                isAdmin
                    ? "only the broker's administrator may use \(path); try it with sudo"
                    : "you may not use \(path): add yourself to its group with "
                        + "'sudo usermod -aG sensorbroker $USER' and log in again")
        case ECONNREFUSED:
            Failure(
                .unavailable,
                "nobody listens at \(path): sensorbrokerd stopped. Start it with: sudo systemctl start sensorbrokerd")
        default: Failure(.unavailable, "cannot connect: \(error). Is it the right --socket?")
        }
    }
}
