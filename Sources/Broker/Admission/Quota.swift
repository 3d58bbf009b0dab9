/// Shares of a limited supply among users: connections, subscriptions, bytes.
///
/// The rule is dbus-broker's. A request is judged as if the user gave back all that it has and asked for the sum: it is
/// granted if the sum is no more than what would then be left, divided by the number of users plus one,
///
///     share + amount <= (remaining + share) / (users + 1)
///
/// so that each of n users can have between 1/n and 1/n² of the total whatever the others do, and something is always
/// left for a user who has nothing yet. A fixed limit for each user comes on top. Root and the daemon's own user have
/// only a limit of their own: a user who can stop the daemon need not starve its clients. What was granted is never
/// taken back. Confined to one thread.
public final class Quota {
    /// The total, and how much of it one user may have.
    public struct Terms: Equatable, Sendable {
        /// For all users together.
        public var total: Int
        /// For one user.
        public var perUser: Int
        /// For root and the daemon's own user, each; less than the total, so that something is left for others.
        public var perTrustedUser: Int

        /// Terms; the limit of trusted users is the total if none is given.
        public init(total: Int, perUser: Int, perTrustedUser: Int? = nil) {
            self.total = total
            self.perUser = perUser
            self.perTrustedUser = perTrustedUser ?? total
        }
    }

    /// The terms for further charges; a change takes nothing away from anybody.
    public var terms: Terms
    /// The sum of all charges.
    public private(set) var charged = 0
    private var shares: [UInt32: Int] = [:]

    /// A quota with no charges yet.
    public init(_ terms: Terms) { self.terms = terms }

    /// How much a user has.
    public func share(of user: UInt32) -> Int { shares[user] ?? 0 }

    /// The most that one user can have, for messages.
    public func bound(isTrusted: Bool) -> Int { min(terms.total, isTrusted ? terms.perTrustedUser : terms.perUser) }

    /// Charges a user with an amount, which must not be negative; nil if that exceeds its share.
    public func charge(_ amount: Int, to user: UInt32, isTrusted: Bool = false) -> Charge? {
        let share = self.share(of: user)
        guard amount >= 0, amount <= terms.total - charged else { return nil }
        guard amount <= (isTrusted ? terms.perTrustedUser : terms.perUser) - share else { return nil }
        guard isTrusted || isFair(amount, share) else { return nil }
        return take(amount, user)
    }

    /// Charges a user with an amount that another process has granted, whatever the terms are now.
    public func chargeAgain(_ amount: Int, to user: UInt32) -> Charge {
        assert(amount >= 0, "what was granted is an amount")
        return take(amount, user)
    }

    private func take(_ amount: Int, _ user: UInt32) -> Charge {
        charged += amount
        shares[user] = share(of: user) + amount
        assertSums()
        return Charge(amount, of: user, from: self)
    }

    private func isFair(_ amount: Int, _ share: Int) -> Bool {
        let users = shares.count + (share == 0 ? 1 : 0)
        // Both are within the total here: only a total near the largest integer could overflow.
        let (wanted, isTooMuch) = (share + amount).multipliedReportingOverflow(by: users + 1)
        return !isTooMuch && wanted - share <= terms.total - charged
    }

    func giveBack(_ amount: Int, of user: UInt32) {
        let rest = share(of: user) - amount
        assert(rest >= 0 && amount <= charged, "more is given back than was charged")
        charged -= amount
        shares[user] = rest > 0 ? rest : nil
        assertSums()
    }

    /// The shares of all users add up to the sum of all charges, and none is negative.
    private func assertSums() {
        assert(shares.values.allSatisfy { $0 >= 0 })
        assert(shares.values.reduce(0, +) == charged, "the shares do not add up to what is charged")
    }

    // Each charge keeps its quota alive.
    deinit { assert(charged == 0, "a quota goes while something is charged") }
}

/// An amount that a user is charged with; it is given back when the charge is destroyed, so it cannot leak.
public struct Charge: ~Copyable {
    /// The amount.
    public let amount: Int
    private let user: UInt32
    private let quota: Quota

    init(_ amount: Int, of user: UInt32, from quota: Quota) {
        self.amount = amount
        self.user = user
        self.quota = quota
    }

    deinit { quota.giveBack(amount, of: user) }
}
