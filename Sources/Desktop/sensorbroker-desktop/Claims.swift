/// The programs that have claimed a sensor, each by its name on the bus: a set, since claiming twice counts once.
struct Claims: Sendable {
    /// The most programs of one user that may claim a sensor; the bus allows a user 256 connections.
    static let mostOfUser = 1_024

    /// The names of the programs, in the order of their claims.
    private(set) var senders: [String] = []
    private var users: [String: UInt32] = [:]
    private var counts: [UInt32: Int] = [:]

    /// Whether nobody has claimed it.
    var isEmpty: Bool { senders.isEmpty }

    /// Adds the claim of a user's program; false if the user has as many as one may have.
    mutating func add(_ sender: String, of user: UInt32) -> Bool {
        guard users[sender] == nil else { return true }
        guard counts[user, default: 0] < Self.mostOfUser else { return false }
        senders.append(sender)
        users[sender] = user
        counts[user, default: 0] += 1
        return true
    }

    /// Removes the claim of a program; false if it has none.
    mutating func remove(_ sender: String) -> Bool {
        guard let user = users.removeValue(forKey: sender) else { return false }
        senders.removeAll { $0 == sender }
        counts[user] = counts[user].flatMap { $0 > 1 ? $0 - 1 : nil }
        return true
    }
}

/// How many calls a program may make: many at once, and then some each second.
///
/// Each call can cost a look at the user's sessions, and a connection to the broker. A program of the desktop makes a few in
/// its whole life.
struct CallAllowance: Sendable {
    private static let mostAtOnce = 64.0
    private static let perSecond = 8.0

    private var left = Self.mostAtOnce
    private var countedNanoseconds: Int64

    /// An allowance of a program that makes its first call.
    init(now: Int64) { countedNanoseconds = now }

    /// Takes a call; false if it is too many.
    mutating func take(now: Int64) -> Bool {
        left = min(Self.mostAtOnce, left + Double(now - countedNanoseconds) / 1e9 * Self.perSecond)
        countedNanoseconds = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
