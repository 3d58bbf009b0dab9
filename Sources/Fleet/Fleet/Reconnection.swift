internal import Timing

/// When to connect again: soon at first, then ever later, and never all of a fleet at once.
package struct Reconnection: Sendable {
    /// How a connection, or an attempt, ended.
    package enum End: Equatable, Sendable {
        /// There was no connection.
        case unreachable
        /// The server refused it.
        case refused(Refusal)
        /// The connection was there for some time.
        case lost(livedNanoseconds: Int64)
        /// The server reported that another client has the same identifier.
        case takenOver

        /// The server ended it with a reason, after some time.
        package init(disconnectedFor reason: Refusal, livedNanoseconds: Int64) {
            switch reason {
            case .takenOver: self = .takenOver
            case .credentials, .permanent, .retain: self = .refused(reason)
            case .version, .busy, .size, .window, .ending: self = .lost(livedNanoseconds: livedNanoseconds)
            }
        }
    }

    private var failures = 0
    private var shortLives = 0
    /// What the client has changed for the server; if that was of no use, the waits grow as for any other reason.
    private var adapted: Refusal?
    /// A connection that ends sooner is suspicious.
    private static let shortLifeNanoseconds = 5 * Nanoseconds.second
    /// After a connection that was accepted, the longest wait is two to the power of one more than this.
    private static let mostAfterLife = 3
    /// As long as the waits can get.
    private static let longest: Int64 = 300

    package init() {}

    /// Whether another client seems to have the same identifier.
    package var isTwin: Bool { shortLives >= 3 }

    /// How long to wait after an end.
    ///
    /// `random` is from 0 to 1; `isForeign`: whether somebody else reported as this host.
    package mutating func wait(after end: End, isForeign: Bool, random: Double) -> Int64 {
        switch end {
        case .takenOver, .refused(.takenOver):
            shortLives = 3
            return Self.longest * Nanoseconds.second
        case .lost(let lived):
            shortLives = lived < Self.shortLifeNanoseconds && isForeign ? shortLives + 1 : 0
            if isTwin { return Self.longest * Nanoseconds.second }
            if lived >= Self.shortLifeNanoseconds { (failures, adapted) = (0, nil) }
            // Whoever accepts connections and loses them is restarted again and again, or far away: it is there.
            failures = min(failures, Self.mostAfterLife)
        case .refused(.credentials), .refused(.permanent): return Self.between(60, Self.longest, random)
        case .refused(let refusal) where refusal == .version || refusal == .retain:
            guard adapted == refusal else {
                adapted = refusal
                return Nanoseconds.second
            }
        case .refused, .unreachable: break
        }
        failures = min(failures + 1, 9)
        assert((1...9).contains(failures) && shortLives >= 0)
        return Self.between(1, min(Self.longest, 1 << Int64(failures)), random)
    }

    private static func between(_ least: Int64, _ most: Int64, _ random: Double) -> Int64 {
        let spread = Double((most - least) * Nanoseconds.second) * min(1, max(0, random))
        return least * Nanoseconds.second + (Int64(exactly: spread.rounded()) ?? 0)
    }
}
