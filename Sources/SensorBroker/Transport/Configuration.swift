internal import BrokerClient
internal import Glibc
internal import Platform

/// How a broker is reached, and how long it keeps unused subscriptions.
public struct Configuration: Equatable, Sendable {
    /// Where readings come from.
    public var transport: Transport
    /// How long a subscription without listeners is kept for reuse.
    public var grace: Duration = .seconds(5)
    /// How old newest readings may be, unless a manager or a ``Latest`` has a limit of its own; nil: no limit.
    public var maximumAge: Duration?
    /// An invalid value in the environment, thrown to users of the broker.
    var fault: SensorError?
    /// Candidates for the daemon's socket.
    var paths: [String] = []

    /// Creates a configuration with this transport.
    public init(_ transport: Transport) {
        self.init(transport, Environment.current())
    }

    /// The configuration from the environment: `SENSORBROKER_TRANSPORT` is `daemon`, `mock` or `replay:FILE`,
    /// `SENSORBROKER_SOCKET` is a path.
    public static var environment: Configuration { Configuration(Environment.current()) }

    init(_ environment: Environment) {
        switch environment.transport {
        case nil, "daemon": self.init(.daemon(socket: environment.socket), environment)
        case "mock": self.init(.mock, environment)
        case let replay? where replay.hasPrefix("replay:"):
            self.init(.replay(file: String(replay.dropFirst("replay:".count))), environment)
        case let other?:
            self.init(.daemon(socket: environment.socket), environment)
            fault = .invalidRequest("SENSORBROKER_TRANSPORT is '\(other)'; it may be 'daemon', 'mock' or 'replay:FILE'")
        }
    }

    init(_ transport: Transport, _ environment: Environment) {
        self.transport = transport
        guard case .daemon(let socket) = transport else { return }
        paths = SocketPath.candidates(named: socket, userRuntimeDirectory: environment.userRuntimeDirectory)
    }
}

/// Where the readings of a broker come from.
///
/// It is chosen at run time; programs need not change for it.
public enum Transport: Equatable, Sendable {
    /// The daemon, at a given socket or at its usual place.
    case daemon(socket: String?)
    /// A broker inside this process, with simulated devices.
    case mock
    /// A broker inside this process that repeats a file of `sensorctl record` for ever.
    case replay(file: String)
}

/// The configuration of the shared broker, taken once when that is created.
final class SharedConfiguration: Sendable {
    /// That of ``Broker/shared``.
    static let present = SharedConfiguration()

    private enum State {
        case environment
        case configured(Configuration)
        case taken
    }

    private let state = Locked(State.environment)

    /// Sets the configuration, unless it was taken or set to another one already.
    func put(_ configuration: Configuration) throws(SensorError) {
        try state.withLock { state throws(SensorError) in
            switch state {
            case .environment: state = .configured(configuration)
            case .configured(configuration): break
            case .configured(let former):
                throw .invalidRequest(
                    "Broker.shared is configured already, for \(former.transport): configure it in one place")
            case .taken:
                throw .invalidRequest("Broker.shared is in use already: configure it at the start of the program")
            }
        }
    }

    /// The configuration, which cannot be set any more.
    func take() -> Configuration {
        state.withLock { state in
            defer { state = .taken }
            if case .configured(let configuration) = state { return configuration }
            return .environment
        }
    }
}

/// The environment variables that matter here; an empty one counts as not set.
struct Environment: Equatable {
    /// The value of `SENSORBROKER_TRANSPORT`.
    var transport: String?
    /// The value of `SENSORBROKER_SOCKET`.
    var socket: String?
    /// The value of `XDG_RUNTIME_DIR`.
    var userRuntimeDirectory: String?

    /// The environment of this process. `getenv(3)`
    static func current() -> Self {
        Self(
            transport: value("SENSORBROKER_TRANSPORT"), socket: value("SENSORBROKER_SOCKET"),
            userRuntimeDirectory: value("XDG_RUNTIME_DIR"))
    }

    private static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
