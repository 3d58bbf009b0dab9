internal import BrokerClient

/// How a broker is reached, and how long it keeps what nobody uses.
public struct Configuration: Equatable, Sendable {
    /// Where readings come from.
    public var transport: Transport
    /// How long a subscription without listeners is kept for the next one.
    public var grace: Duration = .seconds(5)
    /// What the environment asked for and is not understood, to be told to whoever uses the broker.
    var fault: SensorError?
    /// Where the daemon's socket may be.
    var paths: [String] = []

    /// A configuration with another transport.
    public init(_ transport: Transport) {
        self.init(transport, Environment.current())
    }

    /// What the environment says: `SENSORBROKER_TRANSPORT` is `daemon`, `mock` or `replay:FILE`,
    /// `SENSORBROKER_SOCKET` a path.
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
