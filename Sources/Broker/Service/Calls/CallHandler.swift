internal import Platform
public import Readings
public import Varlink

/// Answers the calls that come through one listening socket.
///
/// Confined to whoever holds the loop's baton, like all of this target.
public protocol CallHandler: AnyObject {
    /// The interfaces served here; it answers calls about them, and calls that no interface declares.
    var information: ServiceInformation { get }

    /// The socket through which its clients connect.
    var door: Door { get }

    /// A call of one of the interfaces arrived: writes a whole reply, or makes the connection busy to answer later.
    ///
    /// A reply to a oneway call is dropped. A thrown error becomes the reply.
    func answer(
        _ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter
    ) throws(VarlinkError)

    /// The socket of a busy connection has room again after it was full.
    func didDrain(_ connection: Connection, now: BootTime)

    /// The client has read nothing for too long; the connection is closed right after this.
    func didGetStuck(_ connection: Connection, now: BootTime)

    /// The connection is gone.
    func didClose(_ connection: Connection, now: BootTime)
}

extension CallHandler {
    /// Defaults to the socket for clients.
    public var door: Door { .clients }

    /// Does nothing: replies to calls are never dropped, so nothing is pending.
    public func didDrain(_ connection: Connection, now: BootTime) {}

    /// Does nothing.
    public func didGetStuck(_ connection: Connection, now: BootTime) {}
}

/// The sockets through which programs connect; each has its own number of connections.
public enum Door: String, Sendable {
    /// For clients that read.
    case clients
    /// For root and the daemon's own user.
    case administrators
    /// For programs that are sensors.
    case providers

    /// The error sent to a rejected client.
    func tooManyConnections(limit: Int) -> VarlinkError {
        let interface =
            switch self {
            case .clients: "io.sensorbroker.Broker"
            case .administrators: "io.sensorbroker.Admin"
            case .providers: "io.sensorbroker.Feed"
            }
        return .other(name: interface + ".TooManyConnections", parameters: ["limit": .integer(Int64(limit))])
    }
}

extension ServiceInformation {
    /// The daemon's own description, for a socket that serves these interfaces.
    static func sensorbrokerd(_ interfaces: [InterfaceDescription]) -> ServiceInformation {
        ServiceInformation(
            vendor: "SensorBroker", product: "sensorbrokerd", version: Version.text, url: "https://sensorbroker.io/",
            interfaces: interfaces)
    }
}
