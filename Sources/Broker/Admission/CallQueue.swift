public import Readings

/// Connections with waiting calls, in a queue for each user: fair among users, and each user at its own pace.
///
/// The user who has been served for the shortest time comes first, so that a user with a single call is answered at
/// once amid any number of users with thousands. A user gains nothing by not having called for a while: its account
/// starts at the level of the user served last. Among the connections of a user, the first to arrive is served first.
/// Besides its share of time, each user has a pace of calls, since a call costs others more than the loop's time. Pure:
/// time is an argument.
public struct CallQueue<Waiting: Sendable>: Sendable {
    private struct Account {
        var budget: CallBudget
        /// For how long the user has been served, plus what it has let pass.
        var served: Int64
        var waiting: [Waiting] = []
    }

    private var accounts: [Caller: Account] = [:]
    /// The account of the user who was served last.
    private var level: Int64 = 0
    /// How many connections wait.
    public private(set) var count = 0
    /// How many accounts to keep before dropping those that have nothing to remember.
    private var mostAccounts = 64

    /// A queue in which nobody waits.
    public init() {}

    /// Adds a waiting connection of a user; `budget` is for a user of whom nothing is known.
    public mutating func append(
        _ one: Waiting, of caller: Caller, _ budget: @autoclosure () -> CallBudget, now: BootTime
    ) {
        change(caller, budget, now) { account, level in
            if account.waiting.isEmpty { account.served = max(account.served, level) }
            account.waiting.append(one)
        }
        count += 1
        assertCount()
    }

    /// Takes out the connection to serve next; nil: none waits, or all must wait for their users' pace.
    public mutating func next(now: BootTime) -> (caller: Caller, one: Waiting)? {
        var first: (caller: Caller, served: Int64)?
        for (caller, account) in accounts where !account.waiting.isEmpty && account.budget.nextCall <= now {
            if let first, first.served <= account.served { continue }
            first = (caller, account.served)
        }
        guard let (caller, served) = first, let one = accounts[caller]?.waiting.removeFirst() else { return nil }
        level = max(level, served)
        count -= 1
        assertCount()
        return (caller, one)
    }

    /// Charges a user for calls and the time that they took; the scheduler may have run another program for part of
    /// that time.
    public mutating func charge(
        _ caller: Caller, calls: Int, nanoseconds: Int64, _ budget: @autoclosure () -> CallBudget, now: BootTime
    ) {
        change(caller, budget, now) { account, level in
            if calls > 0 { account.budget.charge(calls, now: now) }
            let own = min(max(0, nanoseconds), TimeShare.mostNanoseconds)
            account.served = max(account.served, level).addingSaturating(own)
        }
    }

    /// When the first of the waiting connections may be served by its user's pace; nil: none waits.
    public var nextCall: BootTime? {
        guard count > 0 else { return nil }
        // Not by a key path, which a generic type makes anew each time: for ten thousand instructions, in each turn of a flood.
        return accounts.values.lazy.filter { !$0.waiting.isEmpty }.map { $0.budget.nextCall }.min()
    }

    private func assertCount() {
        assert(accounts.values.reduce(0) { $0 + $1.waiting.count } == count, "the queues do not add up to the count")
    }

    /// Changes the account of a user, who may be new.
    private mutating func change(
        _ caller: Caller, _ budget: () -> CallBudget, _ now: BootTime, _ act: (inout Account, _ level: Int64) -> Void
    ) {
        if accounts[caller] == nil, accounts.count >= mostAccounts {
            accounts = accounts.filter { !$0.value.waiting.isEmpty || !$0.value.budget.isFull(now: now) }
            mostAccounts = max(64, 2 * accounts.count)
        }
        act(&accounts[caller, default: Account(budget: budget(), served: level)], level)
    }
}

/// A user, for counting its calls, over however many connections they come.
///
/// A user's calls to the administrator's socket are counted separately: a flood at the other socket does not delay
/// them.
public struct Caller: Hashable, Sendable {
    /// The user.
    public let userID: UInt32
    /// Whether it is root or the daemon's own user.
    public let isTrusted: Bool
    /// Whether it calls at the administrator's socket.
    public let isAdministrating: Bool

    /// A user at one of the two sockets.
    public init(userID: UInt32, isTrusted: Bool, isAdministrating: Bool) {
        self.userID = userID
        self.isTrusted = isTrusted
        self.isAdministrating = isAdministrating
    }
}
