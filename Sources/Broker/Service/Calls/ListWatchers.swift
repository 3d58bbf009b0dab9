internal import Admission
internal import Delivery
internal import Readings

/// The clients that watch the list of resources (`ListResources` with `more`), and when they are informed of changes.
///
/// The first change after a while is sent at once. Further changes are gathered, since the list is for people: one round per tenth
/// of a second. A round informs each watcher once, over as many turns of the loop as it takes; while there are streams, the rounds
/// have a share of the loop's time. Changes in the meantime are left to the next round, so that everybody ends with the newest
/// list. A watcher whose socket is full gets the list when it has room. The users whose requests made devices start or stop pay for
/// the next round, in equal parts. The broker knows the content of the list and how to send it. Pure: time is an argument.
final class ListWatchers {
    /// The cost of a part of a round, for each of the users who caused it.
    struct Bill: Equatable {
        let payers: [Caller]
        let calls: Int
        let nanoseconds: Int64
    }

    private let clock: () -> BootTime
    private let hasStreams: () -> Bool
    /// true: the list is pending.
    private var watchers: [ConnectionToken: Bool] = [:]
    /// Whether the list has changed since the last round began, and when the next one may begin.
    private var hasChanged = false
    private var nextRound = BootTime(nanoseconds: 0)
    /// The watchers that have not got the list in this round; the next one is at the end.
    private var remaining: [ConnectionToken] = [] {
        didSet { hasRemaining = !remaining.isEmpty }
    }
    private var hasRemaining = false
    /// The users who pay for the next round, and those who pay for this one.
    private var causers: Set<Caller> = []
    private var payers: [Caller] = []
    private var share = TimeShare(percent: Limits.listPercent, burstNanoseconds: Limits.burstNanoseconds)

    init(clock: @escaping () -> BootTime, hasStreams: @escaping () -> Bool) {
        self.clock = clock
        self.hasStreams = hasStreams
    }

    func add(_ token: ConnectionToken) { watchers[token] = false }

    func remove(_ token: ConnectionToken) { watchers[token] = nil }

    func contains(_ token: ConnectionToken) -> Bool { watchers[token] != nil }

    /// Whether a watcher's socket was full when the list was last due.
    func isPending(_ token: ConnectionToken) -> Bool { watchers[token] == true }

    /// A watcher was sent the list, or its socket was full, so that the list is pending.
    func didSend(to token: ConnectionToken, isTaken: Bool) {
        guard watchers[token] != nil else { return }
        watchers[token] = !isTaken
    }

    /// The list has changed: a round is due if anybody watches.
    func change() { if !watchers.isEmpty { hasChanged = true } }

    /// A user made a device start or stop, and pays for the round that announces it, if anybody watches.
    func blame(_ caller: Caller) { if !watchers.isEmpty { causers.insert(caller) } }

    /// When a round begins or goes on; nil: there is nothing to announce.
    var deadline: BootTime? {
        guard hasRemaining || hasChanged else { return nil }
        let due = hasRemaining ? BootTime(nanoseconds: 0) : nextRound
        return hasStreams() ? max(due, share.opensAt) : due
    }

    /// Informs watchers in this turn, as many as there is time for; returns the cost (nil: nothing was due).
    ///
    /// `send` sends the list to one of them, and returns false if its socket is full.
    func inform(_ now: BootTime, _ send: (ConnectionToken) -> Bool) -> Bill? {
        guard let due = deadline, due <= now else { return nil }
        if !hasRemaining { beginRound(now) }
        guard hasRemaining else { return nil }
        let begin = clock()
        var sent = 0
        while sent == 0 || clock() - begin < Limits.listTurnNanoseconds, let token = remaining.popLast() {
            guard watchers[token] != nil else { continue }
            sent += 1
            didSend(to: token, isTaken: send(token))
        }
        let nanoseconds = clock() - begin
        share.take(nanoseconds, now: now)
        let count = max(1, payers.count)
        return Bill(
            payers: payers, calls: sent / Limits.watchersOfCheapCall / count, nanoseconds: nanoseconds / Int64(count))
    }

    private func beginRound(_ now: BootTime) {
        hasChanged = false
        nextRound = now + Limits.listPauseNanoseconds
        remaining = Array(watchers.keys)
        payers = Array(causers)
        causers = []
    }
}
