public import Platform
public import Varlink

/// A connection to the broker on which calls are sent and replies come, and which never blocks: a socket, or a model of it.
public protocol BrokerStream: AnyObject {
    /// The descriptor to wait for.
    var number: Int32 { get }
    /// Sends whole calls, as they are written.
    func send(_ bytes: [UInt8]) throws(ConnectionFault)
    /// Reads what has arrived.
    func receive() throws(ConnectionFault)
    /// The text of the next complete reply among what was read; nil if there is none.
    func nextMessage() throws(ConnectionFault) -> [UInt8]?
}

/// Connects to a broker's socket.
public typealias BrokerDialer = (_ path: String) throws(SystemError) -> any BrokerStream

/// A socket that is connected to the broker.
public final class SocketStream: BrokerStream {
    private var connection: BrokerConnection

    /// Connects to the broker's socket at a path. `connect(2)`
    public init(path: String) throws(SystemError) {
        connection = try BrokerConnection(path: path, patienceNanoseconds: 0)
    }

    /// Connects to the first of the paths at which somebody listens, and makes a call.
    public convenience init(firstOf paths: [String], _ call: Call) throws(ConnectRefusal) {
        self.init(
            try SocketPath.connect(firstOf: paths) { path throws(SystemError) in
                try BrokerConnection(path: path, patienceNanoseconds: 0)
            })
        // A broker that is gone already is noticed when its reply is read.
        try? send(call)
    }

    private init(_ connection: consuming BrokerConnection) { self.connection = connection }

    /// The descriptor to wait for.
    public var number: Int32 { connection.number }

    /// Sends whole calls, as they are written.
    public func send(_ bytes: [UInt8]) throws(ConnectionFault) { try connection.send(bytes) }

    /// Reads what has arrived.
    public func receive() throws(ConnectionFault) { try connection.receive() }

    /// The text of the next complete reply among what was read; nil if there is none.
    public func nextMessage() throws(ConnectionFault) -> [UInt8]? { try connection.nextMessage() }
}

extension BrokerStream {
    /// Sends a call.
    public func send(_ call: Call) throws(ConnectionFault) {
        var writer = JSONWriter()
        writer.call(call)
        try send(writer.bytes)
    }

    /// What has arrived, as whole replies.
    public func replies() throws(ConnectionFault) -> [Reply] {
        try receive()
        var replies: [Reply] = []
        while let message = try nextMessage() { replies.append(try Reply(of: message)) }
        return replies
    }
}

extension Reply {
    /// The reply of a message; one that is none ends the connection.
    public init(of message: [UInt8]) throws(ConnectionFault) {
        do { self = try Reply(parsing: message) } catch { throw .unintelligible("\(error)") }
    }
}
