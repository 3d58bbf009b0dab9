public import Fleet
public import Platform

/// A connection to a server of MQTT, from its dialling to its end: libmosquitto's, or a model of it.
public protocol ServerConnection: AnyObject {
    /// The socket; -1 if there is none.
    var socket: Int32 { get }
    /// Whether there is something to write.
    var wantsToWrite: Bool { get }
    /// Whether the server keeps messages for whoever comes later; known once it has answered to the connection.
    var retains: Bool { get }
    /// Whether there may be more than the last turn took, whatever the socket says.
    var mayHoldMore: Bool { get }
    /// Begins to connect, and rings when that is done; nothing else may be called until then.
    func dial(_ server: ServerAddress, _ bell: Bell) throws(SystemError) -> Dial
    /// Why a dial failed; call it once the dial is done.
    func words(_ result: Dial.Result) -> String
    /// Reads and writes what can be, and keeps the connection alive; how it ended, nil if it did not.
    func turn(isReadable: Bool) -> String?
    /// What came since the last call.
    func takeEvents() -> [ServerEvent]
    /// Sends a message at quality 1; its identifier, nil if the connection has ended.
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) -> Int32?
    /// Asks for the messages of a topic.
    func subscribe(_ topic: String)
    /// Ends the connection in order.
    func disconnect()
}

/// What came from the server.
public enum ServerEvent: Sendable {
    /// It answered to the connection.
    case connected(reason: Int32, receiveMaximum: Int?, packetMaximum: Int?, maximumQoS: Int32)
    /// It answered to a message.
    case answered(identifier: Int32, reason: Int32)
    /// It sent a message; one that it kept for us, or one that somebody just sent.
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// It answered to a subscription; 0x80 or more: it does not allow it.
    case subscribed(reason: Int32)
    /// It ended the connection and said why.
    case disconnected(reason: Int32)
}

/// How to reach the server, and how to introduce oneself.
public struct ConnectionPlan {
    /// Where the server is.
    public var server: ServerAddress
    /// Our name, which no other client may have.
    public var clientID: String
    /// The version of MQTT.
    public var version: ProtocolVersion
    /// The files that encryption needs.
    public var certificate: String?
    /// The key of the certificate.
    public var key: String?
    /// The certificates of those who may sign the server's.
    public var authority: String?
    /// The user's name.
    public var user: String?
    /// The user's password.
    public var password: String?
    /// What the server says when we are gone.
    public var will: (topic: String, payload: [UInt8])?
    /// Whether the server is to keep that for whoever comes later.
    public var isWillKept = true
    /// For how long the server keeps what comes for us while we are not connected; 0: not at all.
    public var sessionSeconds: UInt32 = 0
    /// How often a silent connection is tried; it has ended if no answer comes in as much time again.
    public var keepaliveSeconds: Int32 = 15
    /// The most bytes of a message that are wanted; the rest of a longer one is cut off.
    public var mostPayloadBytes = 1 << 16

    /// A plan of a connection by the settings; the files' paths are whole.
    public init(_ server: ServerAddress, clientID: String, version: ProtocolVersion) {
        self.server = server
        self.clientID = clientID
        self.version = version
    }
}

/// An attempt to connect, on its thread.
public final class Dial: Sendable {
    /// What libmosquitto returned, and errno.
    public struct Result: Sendable {
        /// What libmosquitto returned; 0: it is connected.
        public let code: Int32
        /// What the system returned.
        public let error: Int32
    }

    private let result = Locked<Result?>(nil)

    /// An attempt that goes on.
    public init() {}

    /// The result; nil while it dials.
    public var outcome: Result? { result.withLock { $0 } }

    /// The attempt is over.
    public func finish(_ code: Int32, _ error: Int32) { result.withLock { $0 = Result(code: code, error: error) } }
}

/// Wakes the loop; it lives as long as any thread that may ring.
public final class Bell: Sendable {
    /// What the loop waits for.
    public let event: WakeEvent

    /// A bell that has not rung.
    public init() throws(SystemError) { event = try WakeEvent() }
}
