/// What the reason of an answer to a message means for it.
public enum Verdict: Equatable, Sendable {
    /// The message is the server's now.
    case delivered
    /// Nobody has subscribed to it: it was thrown away.
    case noSubscribers
    /// The server does not allow it, or does not like the topic: its stream waits, and is tried now and then.
    case denied
    /// The server has too much to do: everything waits, and then less is out at once.
    case busy
    /// The server takes none of this size: it is divided, or reported lost.
    case tooLarge
}

/// What the reason of a refused or ended connection means for the next one.
public enum Refusal: Equatable, Sendable {
    /// The name, the password or the certificate is not accepted: after 1 to 5 minutes.
    case credentials
    /// The server speaks only MQTT 3.1.1: at once, with that.
    case version
    /// Another client has the same identifier: after 5 minutes.
    case takenOver
    /// To try again soon is of no use: after 1 to 5 minutes.
    case permanent
    /// The server keeps no messages: at once, without asking for that.
    case retain
    /// The largest message that was out was too large: as usual, and it is divided, or reported lost.
    case size
    /// Too many messages were out: as usual, with half as many.
    case window
    /// The server has too much to do: as usual, after ever longer waits.
    case busy
    /// Nothing that could be done better: as usual, after ever longer waits.
    case ending
}

/// The reasons of MQTT 5, and what each decides where a server may send it. MQTT 5, 2.4
struct Reason: Sendable {
    let code: Int32
    /// In answer to a connection. 3.2.2.2
    let connection: Refusal?
    /// In answer to a message. 3.4.2.1
    let message: Verdict?
    /// At the end of a connection. 3.14.2.1
    let end: Refusal?

    init(_ code: Int32, connection: Refusal? = nil, message: Verdict? = nil, end: Refusal? = nil) {
        self.code = code
        self.connection = connection
        self.message = message
        self.end = end
    }

    /// All, by their codes; those from 1 to 5 are of MQTT 3.1.1.
    static let table: [Reason] = [
        Reason(0x00, message: .delivered, end: .ending),
        Reason(0x01, connection: .version),
        Reason(0x02, connection: .permanent),
        Reason(0x03, connection: .busy),
        Reason(0x04, connection: .credentials),
        Reason(0x05, connection: .credentials),
        // No matching subscribers
        Reason(0x10, message: .noSubscribers),
        // Unspecified error
        Reason(0x80, connection: .busy, message: .busy, end: .ending),
        // Malformed packet, protocol error
        Reason(0x81, connection: .permanent, end: .ending),
        Reason(0x82, connection: .permanent, end: .ending),
        // Implementation specific error
        Reason(0x83, connection: .busy, message: .busy, end: .ending),
        // Unsupported protocol version
        Reason(0x84, connection: .version),
        // Client identifier not valid
        Reason(0x85, connection: .permanent),
        // Bad user name or password
        Reason(0x86, connection: .credentials),
        // Not authorized
        Reason(0x87, connection: .credentials, message: .denied, end: .credentials),
        // Server unavailable, server busy
        Reason(0x88, connection: .busy),
        Reason(0x89, connection: .busy, end: .busy),
        // Banned
        Reason(0x8A, connection: .permanent),
        // Server shutting down
        Reason(0x8B, end: .ending),
        // Bad authentication method
        Reason(0x8C, connection: .permanent, end: .permanent),
        // Keep alive timeout
        Reason(0x8D, end: .ending),
        // Session taken over
        Reason(0x8E, connection: .takenOver, end: .takenOver),
        // Topic filter invalid
        Reason(0x8F, end: .permanent),
        // Topic name invalid
        Reason(0x90, connection: .permanent, message: .denied, end: .permanent),
        // Packet identifier in use
        Reason(0x91, message: .busy),
        // Receive maximum exceeded
        Reason(0x93, message: .busy, end: .window),
        // Topic alias invalid
        Reason(0x94, end: .ending),
        // Packet too large
        Reason(0x95, connection: .permanent, message: .tooLarge, end: .size),
        // Message rate too high, quota exceeded
        Reason(0x96, message: .busy, end: .busy),
        Reason(0x97, connection: .busy, message: .busy, end: .busy),
        // Administrative action
        Reason(0x98, end: .permanent),
        // Payload format invalid
        Reason(0x99, connection: .permanent, message: .denied, end: .permanent),
        // Retain not supported
        Reason(0x9A, connection: .retain, message: .denied, end: .retain),
        // QoS not supported
        Reason(0x9B, connection: .permanent, message: .denied, end: .permanent),
        // Use another server, server moved
        Reason(0x9C, connection: .permanent, end: .permanent),
        Reason(0x9D, connection: .permanent, end: .permanent),
        // Shared subscriptions not supported
        Reason(0x9E, end: .permanent),
        // Connection rate exceeded
        Reason(0x9F, connection: .busy, end: .busy),
        // Maximum connect time
        Reason(0xA0, end: .ending),
        // Subscription identifiers, wildcard subscriptions not supported
        Reason(0xA1, end: .permanent),
        Reason(0xA2, end: .permanent),
    ]

    private static let byCode = Dictionary(uniqueKeysWithValues: table.map { ($0.code, $0) })

    /// The row of a code; nil if MQTT has no such reason.
    static func row(_ code: Int32) -> Reason? { byCode[code] }
}

extension Verdict {
    /// The meaning of a reason's code; what is no reason of an answer is none of delivery either.
    init(reason: Int32) { self = Reason.row(reason)?.message ?? (reason < 0x80 ? .delivered : .denied) }
}

extension Refusal {
    /// The meaning of the code of a refused connection.
    public init(refusedFor reason: Int32) { self = Reason.row(reason)?.connection ?? .busy }

    /// The meaning of the code of an ended connection.
    public init(endedFor reason: Int32) { self = Reason.row(reason)?.end ?? .ending }
}
