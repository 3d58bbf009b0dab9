internal import Admission
internal import Delivery
internal import Readings

/// The clients that watch the list of resources (`ListResources` with `more`), and when they are informed of changes.
///
/// Changes are gathered into rounds, and while there are streams, the rounds have a share of the loop's time. A round
/// goes on over as many turns as it takes. A watcher whose socket is full gets the list when it has room. The
/// broker knows the content of the list and how to send it.
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
    private var rounds = ListRounds<ConnectionToken>() {
        didSet { roundDue = rounds.due }
    }
    private var roundDue: BootTime?
    private var share = TimeShare(percent: Limits.listPercent, burstNanoseconds: Limits.burstNanoseconds)

    init(clock: @escaping () -> BootTime, hasStreams: @escaping () -> Bool) {
        self.clock = clock
        self.hasStreams = hasStreams
    }

    /// A client watches the list from now on.
    func add(_ token: ConnectionToken) { watchers[token] = false }

    /// A client that may have been a watcher is gone.
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
    func change() { if !watchers.isEmpty { rounds.change() } }

    /// A user made a device start or stop, and pays for the round that announces it.
    func blame(_ caller: Caller) { rounds.blame(caller) }

    /// When a round begins or goes on; nil: there is nothing to announce.
    var deadline: BootTime? { roundDue.map { hasStreams() ? max($0, share.opensAt) : $0 } }

    /// Informs watchers in this turn, as many as there is time for; returns the cost (nil: nothing was due).
    ///
    /// `send` sends the list to one of them, and returns false if its socket is full.
    func inform(_ now: BootTime, _ send: (ConnectionToken) -> Bool) -> Bill? {
        guard let due = deadline, due <= now, rounds.begin(Array(watchers.keys), now: now) else { return nil }
        let begin = clock()
        var sent = 0
        while sent == 0 || clock() - begin < Limits.listTurnNanoseconds, let token = rounds.next() {
            guard watchers[token] != nil else { continue }
            sent += 1
            didSend(to: token, isTaken: send(token))
        }
        let nanoseconds = clock() - begin
        share.take(nanoseconds, now: now)
        let payers = rounds.payers
        let count = max(1, payers.count)
        return Bill(
            payers: payers, calls: sent / Limits.watchersOfCheapCall / count, nanoseconds: nanoseconds / Int64(count))
    }
}
