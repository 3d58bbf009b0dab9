internal import Admission
internal import Delivery
internal import Readings

/// Decides which connection is served next, and how many calls a turn of the loop has time for.
///
/// One call may cost a thousand times as much as another: it may be 64 KiB of escapes, or its bytes may come one by
/// one. So calls are not only counted. In each turn they have a bounded time, and while there are streams they have a
/// share of the loop's time: a flood of calls delays calls, not readings. Clients wait in a queue by user, however many
/// connections a user has. This class knows no sockets.
final class CallPacing {
    private let clock: () -> BootTime
    private let hasStreams: () -> Bool
    private var queue = CallQueue<ConnectionToken>() {
        didSet { isEmpty = queue.count == 0 }
    }
    private(set) var isEmpty = true
    private var newlyQueued: [ConnectionToken] = [] {
        didSet { hasNewlyQueued = !newlyQueued.isEmpty }
    }
    private var hasNewlyQueued = false
    /// The time for calls, and for the ends of connections, while there are streams.
    private var share = TimeShare(percent: Limits.callPercent, burstNanoseconds: Limits.burstNanoseconds)
    /// How many more calls may be served in this turn; the last one may count as many.
    private var callsLeft = Limits.allCallsPerTurn
    /// When the time for clients in this part of the turn is over.
    private var timeUpAt = BootTime(nanoseconds: 0)
    /// The user for whom the loop works now, on a call or on the end of a connection; nil: none.
    private(set) var acting: Caller?

    /// A pace by a clock; `hasStreams` returns whether there are streams that calls could hold up.
    init(clock: @escaping () -> BootTime, hasStreams: @escaping () -> Bool) {
        self.clock = clock
        self.hasStreams = hasStreams
    }

    // MARK: a turn

    func beginTurn() { callsLeft = Limits.allCallsPerTurn }

    /// A part of the turn begins in which clients are served: it has its own time limit.
    func beginServing() { timeUpAt = clock() + Limits.callTurnNanoseconds }

    /// Ends this part of the turn early: the streams come first.
    func endServing() { timeUpAt = clock() }

    /// Whether the streams come first now.
    var isTimeUp: Bool { clock() >= timeUpAt }

    /// Whether a connection whose answered calls cost this much may have another one answered in this turn; the first
    /// always may.
    func mayAnswer(after cost: Int) -> Bool {
        cost == 0 || cost < Limits.callsPerTurn && callsLeft > 0 && !isTimeUp
    }

    /// A call was answered: its size and that of its answer decide how many calls it counts as.
    func didAnswer(bytes: Int) -> Int {
        let cost = Self.cost(bytes: bytes)
        assert(cost > 0 && callsLeft <= Limits.allCallsPerTurn)
        callsLeft -= cost
        return cost
    }

    /// How many calls this many bytes count as.
    static func cost(bytes: Int) -> Int { 1 + bytes / Limits.bytesOfCheapCall }

    // MARK: the queue

    /// Queues a connection to be served, in its user's queue.
    func enqueue(_ token: ConnectionToken, of caller: Caller) {
        let now = clock()
        queue.append(token, of: caller, budget(caller, now), now: now)
        newlyQueued.append(token)
    }

    /// Takes out the connection to serve next in this turn; nil: none waits, or time or calls are used up.
    ///
    /// The first one is served even if the time is over.
    func next(isFirst: Bool, now: BootTime) -> (caller: Caller, token: ConnectionToken)? {
        guard callsLeft > 0, isFirst || !isTimeUp, !hasStreams() || share.opensAt <= now else { return nil }
        return queue.next(now: now).map { ($0.caller, $0.one) }
    }

    /// When a waiting connection can be served; nil: none waits.
    var nextService: BootTime? {
        isEmpty ? nil : queue.nextCall.map { hasStreams() ? max($0, share.opensAt) : $0 }
    }

    /// Visits the connections that were queued in this turn, and clears their list.
    func forEachNewlyQueued(_ visit: (ConnectionToken) -> Void) {
        // Each turn asks, and `removeAll` is slow even on an empty array.
        guard hasNewlyQueued else { return }
        for token in newlyQueued { visit(token) }
        newlyQueued.removeAll(keepingCapacity: true)
    }

    // MARK: accounts

    /// Does some work for a user, and charges the user for its time and for the number of calls that the closure
    /// returns.
    func account(for caller: Caller, _ now: BootTime, _ act: () -> Int) {
        assert(acting == nil, "one thing at a time is done on account of a user")
        let begin = clock()
        acting = caller
        let calls = act()
        acting = nil
        let nanoseconds = clock() - begin
        share.take(nanoseconds, now: now)
        charge(caller, calls: calls, nanoseconds: nanoseconds, now: now)
    }

    /// Charges a user for work that the user has caused.
    func charge(_ caller: Caller, calls: Int, nanoseconds: Int64, now: BootTime) {
        queue.charge(caller, calls: calls, nanoseconds: nanoseconds, budget(caller, now), now: now)
    }

    private func budget(_ caller: Caller, _ now: BootTime) -> CallBudget {
        let times = caller.isTrusted ? Limits.callsOfTrusted : 1
        return CallBudget(perSecond: times * Limits.callsPerSecond, burst: times * Limits.callsInBurst, now: now)
    }
}
