public import Platform
public import Readings

/// The loop: it waits for sockets, devices and deadlines, and handles each in turn.
///
/// In each turn it serves, in this order: devices and the other event sources; clients whose sockets have room again,
/// so that their streams go on; calls. While the loop sleeps, a device's thread may do a turn for its own device (`Baton`); so
/// there is one turn at a time, and no further lock.
public final class Server {
    /// The clients that are served.
    public let clients: Clients
    let clock: () -> BootTime
    /// In nanoseconds, to measure how long something takes; it stands still while the host sleeps.
    let stopwatch: () -> Int64
    private let poller: Poller
    private let sources: EventSources
    private let baton = Baton()
    private let agenda = Agenda()
    /// When the loop must be awake again; nil: only if something is ready.
    private var wakesAt: BootTime?
    /// When the first alarm was due before the last wait; one that was set since then is handled in the next turn.
    private var nextAlarm: BootTime?
    private var scheduled: (any Scheduled)?
    private var turnBegan: BootTime?
    /// How long its turns took.
    private(set) var turnTimes = TurnTimes()
    private(set) var isStopping = false
    private var lastAct: ((BootTime) -> Void)?
    /// Called when the last client has left; for a server to which no further client can connect.
    public var lastClientLeft: (() -> Void)?

    /// A server without sockets, which writes to the journal when it closes a client that broke a rule.
    ///
    /// The first connection's token has the generation after `firstAfter`; tests choose that, and the clocks.
    public init(
        journal: Journal = Journal(isSilent: true), firstAfter generation: UInt32 = 0,
        clock: @escaping () -> BootTime = { BootTime(nanoseconds: Clock.bootNanoseconds()) },
        stopwatch: @escaping () -> Int64 = Clock.monotonicNanoseconds
    ) throws(SystemError) {
        (self.clock, self.stopwatch) = (clock, stopwatch)
        let log = RationedJournal(journal)
        poller = try Poller()
        sources = try EventSources(poller, clock: clock)
        clients = Clients(poller, sources, log, firstAfter: generation, clock: clock)
        clients.setAlarms(in: agenda)
        agenda.add("log", at: { log.deadline }) { log.expire(now: $0) }
    }

    // MARK: the loop

    /// Serves until `stop`; asks `scheduled` for its deadline before each wait, and calls it at the end of each turn.
    public func run(_ scheduled: (any Scheduled)? = nil) throws(SystemError) {
        self.scheduled = scheduled
        defer { self.scheduled = nil }
        try serve()
        lastAct?(clock())
        close()
    }

    private func serve() throws(SystemError) {
        var ready = ReadyList()
        // The wait itself drives virtual time, up to a deadline that must not change meanwhile.
        var goesOn = baton.begin(lending: !VirtualTime.isOn) {
            _ = prepareToSleep()
            return !isStopping
        }
        defer { baton.end() }
        while goesOn {
            try poller.wait(into: &ready) { clients.isReadingBehind }
            goesOn = baton.hold {
                // Somebody who stood in may have stopped it.
                guard !isStopping else { return false }
                let now = clock()
                _ = turn(now) { act(on: ready, now) }
                return !isStopping
            }
        }
    }

    private func act(on ready: ReadyList, _ now: BootTime) {
        let count = sources.act(on: ready, now)
        if ready.count > count { clients.act(on: ready, now) }
    }

    /// Does a turn of the loop, for whoever holds the baton; returns the instant of its end.
    func turn(_ now: BootTime, _ act: () -> Void) -> BootTime {
        turnBegan = now
        clients.turnWillBegin()
        scheduled?.turnWillBegin(now: now)
        act()
        clients.serveCalls(now)
        if let nextAlarm, nextAlarm <= now { agenda.meet(now) }
        scheduled?.turnDidEnd(now: now)
        clients.removeClosed(now)
        if clients.count == 0 { lastClientLeft?() }
        return prepareToSleep()
    }

    /// Determines when the loop must be awake again; returns what time it is.
    private func prepareToSleep() -> BootTime {
        nextAlarm = agenda.next
        wakesAt = BootTime.earlier(BootTime.earlier(nextAlarm, clients.nextTurn), scheduled?.deadline)
        let now = clock()
        if let turnBegan { turnTimes.add(nanoseconds: now - turnBegan) }
        poller.wake(at: isStopping ? now : wakesAt, now: now)
        return now
    }

    /// Does one turn with what is ready, without waiting, for whoever has a clock of its own; returns when the next one is due, nil:
    /// only if something is ready.
    package func step(_ scheduled: some Scheduled) throws(SystemError) -> BootTime? {
        self.scheduled = scheduled
        defer { self.scheduled = nil }
        var ready = ReadyList()
        let now = clock()
        poller.wake(at: now, now: now)
        try poller.wait(into: &ready) { clients.isReadingBehind }
        _ = turn(now) { act(on: ready, now) }
        return wakesAt
    }

    /// Ends `run` after this turn; `lastAct` runs after the last read and before the sockets are closed.
    public func stop(after lastAct: ((BootTime) -> Void)? = nil) {
        isStopping = true
        self.lastAct = lastAct
    }

    /// Closes all sockets and removes their paths; also breaks the reference cycle of server and handlers.
    public func close() {
        clients.log.expire(now: BootTime(nanoseconds: .max))
        clients.removeAll()
        sources.removeAll()
    }

    // MARK: other event sources

    /// Runs a closure whenever a descriptor is ready.
    public func watch(
        _ number: Int32, for interest: EventLoop.Interest = .read, _ act: @escaping (BootTime) -> Void
    ) throws(SystemError) {
        try sources.watch(number, for: interest, act)
    }

    /// What a device's thread may do instead of waking the loop: a turn with `act` in it; false: it must wake the loop.
    func standIn(for act: @escaping (BootTime) -> Void) -> @Sendable () -> Bool {
        let (baton, standIn) = (baton, StandIn(for: self, act))
        return { baton.borrow { standIn.takeTurn() } ?? false }
    }

    /// Stops watching a descriptor until `resume`.
    func pause(_ number: Int32) { sources.pause(number) }

    func resume(_ number: Int32) throws(SystemError) { try sources.resume(number) }

    /// Stops watching a descriptor.
    public func unwatch(_ number: Int32) { sources.unwatch(number) }
}
