/// A connection to a server of MQTT, from its beginning to its end: that of a process of its own, or a model of it.
package protocol ServerConnection: AnyObject {
    /// What to wait for.
    var socket: Int32 { get }
    /// Whether there is something to write.
    var wantsToWrite: Bool { get }
    /// Whether there may be more than the last turn took, even if the socket is not readable.
    var mayHoldMore: Bool { get }
    /// When it has to be called again although nothing came.
    var deadline: Int64 { get }
    /// Reads and writes what can be, and keeps the connection alive; what came.
    func turn(isReadable: Bool) -> [ServerEvent]
    /// Writes what can be written of what was ordered since the last turn.
    func flush()
    /// Sends a message at quality 1; its identifier, nil if the connection has ended.
    ///
    /// `mayWait`: nobody needs the answer at once.
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, mayWait: Bool) -> Int32?
    /// Asks for the messages of a topic.
    func subscribe(_ topic: String)
    /// Ends the connection in order.
    func disconnect()
}

/// What came from the server, or became of the connection.
package enum ServerEvent: Equatable, Sendable {
    /// The server is there: what follows is its answer to the connection.
    case reached
    /// The server answered to the connection.
    case connected(Greeting)
    /// The server answered to a message.
    case answered(identifier: Int32, reason: Int32)
    /// The server sent a message, which it kept for us or somebody just sent.
    case message(topic: String, payload: [UInt8], isRetained: Bool)
    /// The server answered to a subscription; 0x80 or more: it does not allow it.
    case subscribed(reason: Int32)
    /// The server ended the connection and sent the reason.
    case disconnected(reason: Int32)
    /// The last: the connection has ended.
    case ended(ConnectionEnd)
}

/// The answer to a connection, and what the server announces with it.
package struct Greeting: Equatable, Sendable {
    /// 0: the connection is accepted.
    package var reason: Int32
    /// How many messages may be without an answer.
    package var receiveMaximum: Int?
    /// The largest packet that it takes.
    package var packetMaximum: Int?
    /// The best quality of a message; 2 if it announces none.
    package var maximumQoS: Int32
    /// Whether it keeps messages for whoever comes later.
    package var retains: Bool

    /// An answer; what is not given is not announced.
    package init(
        reason: Int32, receiveMaximum: Int? = nil, packetMaximum: Int? = nil, maximumQoS: Int32 = 2,
        retains: Bool = true
    ) {
        self.reason = reason
        self.receiveMaximum = receiveMaximum
        self.packetMaximum = packetMaximum
        self.maximumQoS = maximumQoS
        self.retains = retains
    }
}

/// How a connection ended.
package struct ConnectionEnd: Equatable, Sendable {
    /// What kind of end it was.
    package enum Cause: UInt8, Sendable {
        /// The server was not there.
        case unreachable
        /// The connection broke; before an answer, the server may not know the version of MQTT.
        case broken
        /// Encryption failed.
        case encryption
        /// The settings are none that the library accepts.
        case settings
        /// The process that held the connection ended.
        case crashed
    }

    package let cause: Cause
    package let words: String

    package init(_ cause: Cause, _ words: String) {
        self.cause = cause
        self.words = words
    }
}
