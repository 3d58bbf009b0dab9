internal import CLinux
package import Platform

extension Broker {
    /// Where the readings of a broker come from.
    ///
    /// The transport is chosen at run time; programs need not change for it. The library itself can only reach a
    /// daemon. With the product `SensorBrokerSimulation` there are also `.mock`, scenarios, and recordings, within the
    /// process.
    public struct Transport: Sendable {
        /// The ways to a broker.
        enum Way: Sendable {
            case daemon(socket: String?)
            /// A broker within this process, made by the first connection.
            case local(@Sendable () throws(SensorError) -> any LocalBroker)
        }

        let way: Way
        /// What it is, for people; equal transports have equal descriptions.
        public let description: String

        /// The daemon behind the socket that `SENSORBROKER_SOCKET` names or, if that is not set, at its usual place.
        public static let daemon = Transport.daemon(socket: nil)

        /// The daemon behind a given socket; nil: that of ``daemon``.
        public static func daemon(socket: String?) -> Self {
            Self(way: .daemon(socket: socket), description: socket.map { "the daemon at \($0)" } ?? "the daemon")
        }

        /// A broker within this process; each broker of a program calls the closure once.
        package static func local(
            _ description: String, _ make: @escaping @Sendable () throws(SensorError) -> any LocalBroker
        ) -> Self {
            Self(way: .local(make), description: description)
        }
    }
}

extension Broker.Transport: Equatable, CustomStringConvertible {
    /// Whether both lead to brokers of the same description.
    public static func == (one: Self, other: Self) -> Bool { one.description == other.description }
}

/// A broker within this process.
package protocol LocalBroker: AnyObject, Sendable {
    /// Opens a connection to it; does not wait.
    func connect() throws(SensorError) -> Descriptor
    /// Opens a connection for a provider; does not wait.
    func connectFeed() throws(SensorError) -> Descriptor
}

/// What the product `SensorBrokerSimulation` makes of a name in the environment.
///
/// A program that links the product has its function, others have not: so the environment can choose simulated devices without a
/// line of code, and a program that does without them carries nothing of them.
package final class SimulatedTransports: Sendable {
    private let transport: @Sendable (String) throws(SensorError) -> Broker.Transport?

    /// Creates what the product's function returns.
    package init(_ transport: @escaping @Sendable (String) throws(SensorError) -> Broker.Transport?) {
        self.transport = transport
    }

    /// The transport of a name such as `mock`.
    static func named(_ name: String) throws(SensorError) -> Broker.Transport {
        let present = unsafe clinux_sensorbroker_simulation().map { (object) -> SimulatedTransports in
            unsafe Unmanaged<SimulatedTransports>.fromOpaque(object).takeRetainedValue()
        }
        if let transport = try present?.transport(name) { return transport }
        let setting = "SENSORBROKER_TRANSPORT is '\(name)'"
        guard present == nil, name.hasPrefix("mock") || name.hasPrefix("replay:") else {
            throw .invalidRequest("\(setting); it may be 'daemon', 'mock', 'mock:SCENARIO' or 'replay:FILE'")
        }
        throw .invalidRequest(
            "\(setting), but this program is linked without simulated sensors: add the product SensorBrokerSimulation to the "
                + "dependencies of its target, or start a daemon that simulates them, with 'sensorbrokerd --mock'")
    }
}
