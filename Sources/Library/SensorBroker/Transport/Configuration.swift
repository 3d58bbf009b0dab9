internal import BrokerClient
internal import Platform

extension Broker {
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
        private let environment: Environment

        /// Creates a configuration with this transport; `.daemon` is the one that `SENSORBROKER_SOCKET` names, if it is set.
        public init(_ transport: Transport) { self.init(transport, Environment.current()) }

        /// The configuration from the environment: `SENSORBROKER_TRANSPORT` is `daemon` or, in a program that links the product
        /// `SensorBrokerSimulation`, `mock`, `mock:SCENARIO` or `replay:FILE`; `SENSORBROKER_SOCKET` is a path.
        public static var environment: Configuration { Configuration(Environment.current()) }

        init(_ environment: Environment) {
            let name = environment.transport ?? "daemon"
            do throws(SensorError) {
                let transport =
                    try name == "daemon" ? .daemon(socket: environment.socket) : SimulatedTransports.named(name)
                self.init(transport, environment)
            } catch {
                self.init(.daemon(socket: environment.socket), environment)
                fault = error
            }
        }

        init(_ transport: Transport, _ environment: Environment) {
            self.transport = transport
            self.environment = environment
        }

        /// The socket that the program or the environment names; nil if neither does.
        private var socket: String? {
            if case .daemon(let socket) = transport.way { socket ?? environment.socket } else { nil }
        }

        /// Candidates for the daemon's socket; none if it is no daemon.
        var paths: [String] {
            guard case .daemon = transport.way else { return [] }
            return SocketPath.candidates(named: socket, userRuntimeDirectory: environment.userRuntimeDirectory)
        }

        /// How long a call goes on looking while nothing listens.
        var patienceNanoseconds: Int64 {
            guard case .daemon = transport.way else { return 0 }
            return SocketPath.patienceNanoseconds(isNamed: socket != nil)
        }
    }
}

/// The configuration of the shared broker, taken once when that is created.
final class SharedConfiguration: Sendable {
    /// That of ``Broker/shared``.
    static let present = SharedConfiguration()

    private enum State {
        case environment
        case configured(Broker.Configuration)
        case taken
    }

    private let state = Locked(State.environment)

    /// Sets the configuration, unless it was taken or set to another one already.
    func put(_ configuration: Broker.Configuration) throws(SensorError) {
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
    func take() -> Broker.Configuration {
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
            transport: EnvironmentVariable.value("SENSORBROKER_TRANSPORT"),
            socket: EnvironmentVariable.value("SENSORBROKER_SOCKET"),
            userRuntimeDirectory: EnvironmentVariable.value("XDG_RUNTIME_DIR"))
    }
}
