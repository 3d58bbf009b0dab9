internal import Timing

/// Which version of MQTT the next connection speaks.
///
/// A server that does not know version 5 may report that (0x84, or 1 in the form of 3.1.1), or only close the
/// connection instead of answering, as RabbitMQ 3.10 and amqtt do. So does a proxy whose server is away, and a server
/// that stops; and 3.1.1 is worse, since a server cannot report there that it does not allow a message. So after
/// version 5 was closed twice in a row, 3.1.1 is tried once; if that is accepted, version 5 is tried once more, since
/// the server is there now; only if that is closed again, 3.1.1 is used. Later, at a new connection, version 5 is tried
/// once an hour: servers get new versions too.
///
/// A version that is set is the only one.
package struct VersionChoice: Sendable {
    /// What is known of a server that is not asked with version 5.
    private enum Evidence {
        case none
        /// The server accepted 3.1.1 after it had closed connections of version 5.
        case accepts
        /// The server speaks 3.1.1 only.
        case certain
    }

    private let setting: ProtocolVersion?
    private var next = ProtocolVersion.five
    private var evidence = Evidence.none
    private var closed = 0
    private var lookDue = Int64.min

    private static let hour = 3_600 * Nanoseconds.second

    /// The version that is set; nil: as the server is.
    package init(_ setting: ProtocolVersion?) {
        self.setting = setting
        if let setting { next = setting }
    }

    /// Whether the configuration decides.
    package var isSet: Bool { setting != nil }

    /// Whether the server is known to speak 3.1.1 only.
    package var isCertain: Bool { evidence == .certain }

    /// The version of a connection that begins.
    package mutating func version(_ now: Int64) -> ProtocolVersion {
        if setting == nil, evidence == .certain, next == .three, now >= lookDue {
            // What is known holds until version 5 is answered.
            (next, lookDue) = (.five, now + Self.hour)
        }
        return next
    }

    /// The server reported that it does not speak this version; false if there is no other.
    package mutating func refuse(_ now: Int64) -> Bool {
        guard setting == nil, next == .five else { return false }
        (next, evidence, lookDue) = (.three, .certain, now + Self.hour)
        return true
    }

    /// The server closed the connection instead of answering; false if both versions have had their turn.
    package mutating func close(_ now: Int64) -> Bool {
        guard setting == nil else { return false }
        guard next == .five else {
            // Nothing is learned from a server that is away.
            if evidence == .certain { return false }
            (next, evidence, closed) = (.five, .none, 0)
            return false
        }
        closed += 1
        switch evidence {
        case .none where closed < 2: break
        case .none: next = .three
        case .accepts: (next, evidence, lookDue) = (.three, .certain, now + Self.hour)
        case .certain: next = .three
        }
        return true
    }

    /// The server accepted the connection; false if version 5 has to be tried once more.
    package mutating func accept() -> Bool {
        closed = 0
        guard setting == nil, next == .three else {
            evidence = .none
            return true
        }
        if evidence == .certain { return true }
        (next, evidence) = (.five, .accepts)
        return false
    }
}
