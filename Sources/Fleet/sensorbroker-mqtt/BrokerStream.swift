internal import BrokerClient
internal import Platform
internal import Varlink

/// A connection to the broker on which calls are sent and replies come: a socket, or a model of it.
protocol BrokerStream: AnyObject {
    /// The descriptor to wait for.
    var number: Int32 { get }
    /// Sends a call.
    func send(_ call: Call) throws(ConnectionFault)
    /// Reads what has arrived.
    func receive() throws(ConnectionFault)
    /// The next complete reply among what was read; nil if there is none.
    func nextMessage() throws(ConnectionFault) -> [UInt8]?
}

/// A socket that is connected to the broker, and never blocks.
final class SocketStream: BrokerStream {
    private var connection: BrokerConnection

    /// Connects to the broker's socket at a path. `connect(2)`
    init(path: String) throws(SystemError) { connection = try BrokerConnection(path: path, patienceNanoseconds: 0) }

    var number: Int32 { connection.number }

    func send(_ call: Call) throws(ConnectionFault) { try connection.send(call) }

    func receive() throws(ConnectionFault) { try connection.receive() }

    func nextMessage() throws(ConnectionFault) -> [UInt8]? { try connection.nextMessage() }
}

/// Connects to a broker's socket.
typealias BrokerDialer = (_ path: String) throws(SystemError) -> any BrokerStream
