internal import Admission
public import Delivery
public import Platform
public import Readings
internal import Varlink

/// The loop's thread: it waits for sockets, devices and deadlines, and deals with each in turn, without locks.
///
/// What is not a connection and is waited for is a source: a descriptor and a closure.
public final class Server {
    /// Who has how much of what there is.
    public let quotas = Quotas()
    let log: RationedJournal
    var loop: EventLoop
    var table: ConnectionTable
    var serial = 0
    var sources: [Source] = []
    var listeners: [Listener] = []
    /// Clients that could not be let in and are closed soon, the first of them first.
    var turnedAway: [TurnedAway] = []
    /// Connections that wait to be served.
    var waiting = CallQueue<ConnectionToken>()
    /// Those that have begun to wait in this turn.
    var newlyWaiting: [ConnectionToken] = []
    /// What calls, and the ends of connections, may take of all time while there are streams.
    var callShare = TimeShare(percent: Limits.callPercent, burstNanoseconds: Limits.burstNanoseconds)
    /// The same for connects.
    var connectShare = TimeShare(percent: Limits.connectPercent, burstNanoseconds: Limits.burstNanoseconds)
    /// Whose call, or end of a connection, is being dealt with.
    var acting: Caller?
    var received = [UInt8](repeating: 0, count: 16 * 1_024)
    /// Calls that may still be served in this turn.
    var callsLeft = Limits.allCallsPerTurn
    /// When to look which calls have been under way for too long.
    var callCheck: BootTime?
    var acceptPausedUntil: BootTime?
    /// Accepting pauses for want of descriptors, not of time.
    var isOutOfDescriptors = false
    var ready: [ReadyDescriptor] = []
    /// The places of the sources among them.
    var readySources: [Int] = []
    /// Which of those are served first.
    var sourceTurns = SourceTurns()
    /// How long clients are served in this part of the turn.
    var servedUntil = BootTime(nanoseconds: 0)
    /// The connection that is served first in this turn, because the last turn ran out of time.
    var firstServed: ConnectionToken?
    private var closing: [Connection] = []
    /// When to look which clients with full sockets have read nothing.
    private var progressCheck: BootTime?
    private var isStopping = false
    /// What is done when nobody is connected; for a server that no further client can come to.
    public var lastClientLeft: (() -> Void)?
    private var lastAct: ((BootTime) -> Void)?
    let clock: () -> BootTime

    struct Source {
        var number: Int32
        /// nil: no longer waited for; its place stays, since tokens count places.
        var act: ((BootTime) -> Void)?
    }

    /// How long a client may take nothing while there is something for it, before its connection is closed.
    public var stuckNanoseconds = Limits.stuckNanoseconds {
        didSet { if progressCheck != nil { watchForProgress(until: clock()) } }
    }

    /// Where it stands how things are, in case the process dies; nil: nobody would read it.
    ///
    /// Set before there are clients.
    public var ledger: Ledger?
    /// The current round, as it is in the ledger.
    var round = LedgerRound.none

    /// A server without sockets; the clock is CLOCK_BOOTTIME.
    ///
    /// What clients do wrong is told in the journal.
    public convenience init(journal: Journal = Journal(isSilent: true)) throws(SystemError) {
        try self.init(journal: journal, firstAfter: 0)
    }

    /// The first connection's token has the generation after `firstAfter`, which tests choose.
    init(
        journal: Journal = Journal(isSilent: true), firstAfter generation: UInt32 = 0,
        clock: @escaping () -> BootTime = { BootTime(nanoseconds: Clock.bootNanoseconds()) }
    ) throws(SystemError) {
        loop = try EventLoop()
        table = ConnectionTable(generation: generation)
        log = RationedJournal(journal)
        self.clock = clock
    }

    /// The open connections.
    public var connections: [Connection] { table.all }

    /// How many there are.
    public var connectionCount: Int { table.count }

    /// The connection of a token, if it is still there.
    public func connection(_ token: ConnectionToken) -> Connection? { table[token] }

    /// Serves the clients of a listening socket.
    public func add(_ listener: Listener) throws(SystemError) {
        try watch(listener.socket.number) { [unowned self] now in accept(from: listener, now) }
        listeners.append(listener)
    }

    /// Acts whenever a descriptor is readable, or what else it is waited for.
    public func watch(
        _ number: Int32, for interest: EventLoop.Interest = .read, _ act: @escaping (BootTime) -> Void
    ) throws(SystemError) {
        try loop.add(number, interest, token: Awaited.source(sources.count).bits)
        sources.append(Source(number: number, act: act))
    }

    /// No longer waits for a descriptor.
    public func unwatch(_ number: Int32) {
        guard let index = sources.lastIndex(where: { $0.number == number && $0.act != nil }) else { return }
        loop.remove(number)
        sources[index].act = nil
    }

    /// Serves until `stop`; the scheduled one is asked for its deadline before each wait and told of the end of each turn.
    public func run(_ scheduled: (any Scheduled)? = nil) throws(SystemError) {
        while !isStopping {
            try loop.wait(nanoseconds: patience(scheduled), into: &ready) { isReadingBehind }
            let now = clock()
            callsLeft = Limits.allCallsPerTurn
            actOnReady(now)
            serveWaiting(now)
            meetDeadlines(now)
            scheduled?.turnDidEnd(now: now)
            buryClosed(now)
            if table.count == 0 { lastClientLeft?() }
        }
        lastAct?(clock())
        close()
    }

    /// Whether a client has not read yet what it was sent: time whose pauses are left out waits for it.
    private var isReadingBehind: Bool { table.all.contains { $0.queuedBytes > 0 } }

    private func meetDeadlines(_ now: BootTime) {
        if let until = acceptPausedUntil, now >= until { continueAccepting(now) }
        if let check = turnedAway.first?.closesAt, now >= check { closeTurnedAway(now) }
        if let check = progressCheck, now >= check { closeStuck(now) }
        if let check = callCheck, now >= check { closeUnfinished(now) }
        log.expire(now: now)
    }

    /// Ends `run` after this turn; a last act comes when nothing else is heard any more, before the sockets are closed.
    public func stop(after lastAct: ((BootTime) -> Void)? = nil) {
        isStopping = true
        self.lastAct = lastAct
    }

    /// Closes a connection at the end of the turn, when nobody is in the middle of sending to it; its handler is told then.
    public func close(_ connection: Connection) {
        guard connection.phase != .closing else { return }
        connection.phase = .closing
        loop.remove(connection.socket.number)
        closing.append(connection)
    }

    /// Tells epoll what the connection waits for, if that has changed.
    func rearm(_ connection: Connection) {
        guard connection.phase != .closing, connection.wanted != connection.armed else { return }
        connection.armed = connection.wanted
        do {
            try loop.change(
                connection.socket.number, connection.wanted, token: Awaited.connection(connection.token).bits)
        } catch {
            close(connection)
        }
    }

    /// A client's socket is full: by then it must have read something.
    func watchForProgress(until instant: BootTime) { progressCheck = BootTime.earlier(progressCheck, instant) }

    private func closeStuck(_ now: BootTime) {
        progressCheck = nil
        for connection in table.all {
            guard let since = connection.stuckSince(now: now) else { continue }
            if now - since >= stuckNanoseconds {
                tell(.stuck(user: connection.peer.userID), connection, "has read nothing for too long", now)
                connection.handler.didGetStuck(connection, now: now)
                close(connection)
            } else {
                // Looked at now and then, since nothing tells when the client reads a little.
                watchForProgress(until: min(since + stuckNanoseconds, now + stuckNanoseconds / 6))
            }
        }
    }

    /// Closes what is open and removes the sockets' paths; also breaks the circle of server and handlers.
    public func close() {
        for connection in closing { connection.socket.end() }
        closing = []
        log.expire(now: BootTime(nanoseconds: .max))
        table.removeAll()
        sources.removeAll()
        listeners.removeAll()
    }

    private func patience(_ scheduled: (any Scheduled)?) -> Int64? {
        guard closing.isEmpty else { return 0 }
        var earliest = BootTime.earlier(scheduled?.deadline, acceptPausedUntil)
        earliest = BootTime.earlier(earliest, BootTime.earlier(progressCheck, nextService))
        earliest = BootTime.earlier(earliest, BootTime.earlier(callCheck, log.deadline))
        earliest = BootTime.earlier(earliest, turnedAway.first?.closesAt)
        guard let deadline = earliest else { return nil }
        return max(0, deadline - clock())
    }

    private func buryClosed(_ now: BootTime) {
        guard !closing.isEmpty else { return }
        beginServing()
        var buried = 0
        // An end may take as long as a call, where a stream has many resources.
        while buried == 0 || !isTimeUp, let connection = closing.popLast() {
            buried += 1
            account(for: connection.caller, isTrusted: connection.peer.isAdministrator, now) {
                table.remove(connection)
                // The service manager may hold the socket as well: its end must not wait for that.
                connection.socket.end()
                connection.handler.didClose(connection, now: now)
                return 0
            }
        }
        if isOutOfDescriptors { continueAccepting(now) }
    }
}
