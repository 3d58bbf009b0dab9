internal import Admission
public import Delivery
public import Platform
public import Readings
internal import Varlink

/// The loop: it waits for sockets, devices and deadlines, and handles each in turn.
///
/// In each turn it serves, in this order: devices and the other event sources; clients whose sockets have room again,
/// so that their streams go on; calls. Each of the parts below has its own state and its own limit on the time that it
/// takes in a turn. While the loop sleeps, a device's thread may do a turn for its own device (`Baton`); so there is one
/// turn at a time, and no further lock.
public final class Server {
    /// Each user's share of the server.
    public let quotas = Quotas()
    let log: RationedJournal
    let clock: () -> BootTime
    private let poller: Poller
    private let sources: EventSources
    private let acceptor: Acceptor
    private let admission: ClientAdmission
    private let clients: Connections
    private let pacing: CallPacing
    private let calls: CallService
    private var readyClients: ReadyClients
    /// Clients with full sockets, which may have stopped reading: nothing reports that a client reads a little.
    private var stuck = OverdueWatch(limitNanoseconds: Limits.stuckNanoseconds, longestPause: .part(6))
    private var agenda = Agenda()
    /// How long its turns took.
    private(set) var turnTimes = TurnTimes()
    private var turnBegan: BootTime?
    /// When the first alarm was due before the last wait; one that was set since then is handled in the next turn.
    private var nextAlarm: BootTime?
    private let baton = Baton()
    private var scheduled: (any Scheduled)?
    private(set) var isStopping = false
    private var lastAct: ((BootTime) -> Void)?
    /// Called when the last client has left; for a server to which no further client can connect.
    public var lastClientLeft: (() -> Void)?

    /// How long a client may read nothing while there is something for it, before its connection is closed.
    public var stuckNanoseconds: Int64 {
        get { stuck.limitNanoseconds }
        set { stuck.setLimit(nanoseconds: newValue, now: clock()) }
    }

    /// Records how far clients have been served, in case the process dies; nil: nobody would read it.
    ///
    /// Must be set before there are clients.
    public var ledger: Ledger?
    /// The current round, as it stands in the ledger.
    var round = LedgerRound.none

    /// A server without sockets; the clock is CLOCK_BOOTTIME.
    ///
    /// It writes to the journal when it closes a client that broke a rule.
    public convenience init(journal: Journal = Journal(isSilent: true)) throws(SystemError) {
        try self.init(journal: journal, firstAfter: 0)
    }

    /// The first connection's token has the generation after `firstAfter`, which tests choose.
    init(
        journal: Journal = Journal(isSilent: true), firstAfter generation: UInt32 = 0,
        clock: @escaping () -> BootTime = { BootTime(nanoseconds: Clock.bootNanoseconds()) }
    ) throws(SystemError) {
        self.clock = clock
        let (quotas, log, poller) = (quotas, RationedJournal(journal), try Poller())
        self.log = log
        self.poller = poller
        sources = try EventSources(poller, clock: clock)
        admission = ClientAdmission(quotas, log)
        clients = Connections(poller, firstAfter: generation)
        pacing = CallPacing(clock: clock, hasStreams: { quotas.hasStreams })
        calls = CallService(clients, pacing, log)
        readyClients = ReadyClients(clients, pacing, calls)
        acceptor = Acceptor(sources, log, clock: clock, hasStreams: { quotas.hasStreams })
        setAlarms()
    }

    private func setAlarms() {
        let (acceptor, admission, calls, log) = (acceptor, admission, calls, log)
        agenda.add("accepting", at: { acceptor.deadline }, acceptor.resume)
        agenda.add("rejected clients", at: { admission.deadline }, admission.closeRejected)
        agenda.add("stuck clients", at: { [unowned self] in stuck.deadline }) { [unowned self] in closeStuck($0) }
        agenda.add("unfinished calls", at: { calls.deadline }, calls.closeUnfinished)
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
            try poller.wait(into: &ready) { isReadingBehind }
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
        if ready.count > count { readyClients.act(on: ready, now) }
    }

    /// A turn of the loop, for whoever holds the baton; returns when it was over.
    func turn(_ now: BootTime, _ act: () -> Void) -> BootTime {
        turnBegan = now
        pacing.beginTurn()
        scheduled?.turnWillBegin(now: now)
        act()
        calls.serveWaiting(now)
        if let nextAlarm, nextAlarm <= now { agenda.meet(now) }
        scheduled?.turnDidEnd(now: now)
        removeClosed(now)
        if clients.table.count == 0 { lastClientLeft?() }
        return prepareToSleep()
    }

    /// Says when the loop must be awake again; returns what time it is.
    private func prepareToSleep() -> BootTime {
        nextAlarm = agenda.next
        let earliest = BootTime.earlier(BootTime.earlier(nextAlarm, pacing.nextService), scheduled?.deadline)
        let now = clock()
        if let turnBegan { turnTimes.add(nanoseconds: now - turnBegan) }
        poller.wake(at: isStopping || clients.hasClosing ? now : earliest, now: now)
        return now
    }

    /// Whether a client has not read everything that was sent to it: virtual time waits for it.
    private var isReadingBehind: Bool { clients.table.all.contains { $0.queuedBytes > 0 } }

    /// Ends `run` after this turn; `lastAct` runs after the last read and before the sockets are closed.
    public func stop(after lastAct: ((BootTime) -> Void)? = nil) {
        isStopping = true
        self.lastAct = lastAct
    }

    /// Closes all sockets and removes their paths; also breaks the reference cycle of server and handlers.
    public func close() {
        log.expire(now: BootTime(nanoseconds: .max))
        clients.removeAll()
        sources.removeAll()
        acceptor.close()
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

    /// Stops watching a descriptor.
    public func unwatch(_ number: Int32) { sources.unwatch(number) }

    /// Serves the clients of a listening socket.
    public func add(_ listener: Listener) throws(SystemError) {
        try acceptor.add(listener) { [unowned self] socket, now in admit(socket, listener.handler, now: now) }
    }

    /// Restores the sockets whose paths were removed; returns all that were not at their paths.
    public func restoreSockets(now: BootTime) -> [LostPlace] { acceptor.restoreSockets(now) }

    // MARK: clients come

    /// Serves a client, which need not have come through a listener, if its user may have one more connection.
    public func admit(_ socket: consuming UnixSocket, _ handler: any CallHandler, now: BootTime) {
        guard let peer = try? socket.peer() else { return }
        let caller = Caller(userID: peer.userID, isAdministrating: handler.door == .administrators)
        charge(caller, isTrusted: peer.isAdministrator, calls: 1, nanoseconds: 0, now: now)
        guard let charge = admission.charge(peer, at: handler.door) else {
            return admission.turnAway(socket, peer, at: handler.door, now: now)
        }
        let serial = clients.lastSerial + 1
        guard let connection = add(socket, peer, charge, handler, serial: serial, since: now, now) else { return }
        connection.setSendBuffer(bytes: Limits.leastQueuedBytes)
    }

    /// Continues with a client that another process has admitted, keeping its number; nil if that is impossible.
    ///
    /// The client may be in the middle of a message, so a rejected one gets no error, only the end of its connection.
    func readmit(
        _ socket: consuming UnixSocket, _ handler: any CallHandler, serial: Int, since: BootTime, now: BootTime
    ) -> Connection? {
        guard let peer = try? socket.peer(), let charge = admission.chargeAgain(peer, at: handler.door) else {
            socket.end()
            return nil
        }
        return add(socket, peer, charge, handler, serial: serial, since: since, now)
    }

    private func add(
        _ socket: consuming UnixSocket, _ peer: Peer, _ charge: consuming Charge, _ handler: any CallHandler,
        serial: Int, since: BootTime, _ now: BootTime
    ) -> Connection? {
        let connection = Connection(
            token: clients.makeToken(), serial: serial, since: since, peer: peer, socket: socket, charge: charge,
            handler: handler, server: self, now: now)
        guard clients.insert(connection) else {
            connection.socket.end()
            return nil
        }
        return connection
    }

    // MARK: clients that are there

    /// The open connections.
    public var connections: [Connection] { clients.table.all }

    /// How many there are.
    public var connectionCount: Int { clients.table.count }

    /// How many were ever accepted, by this process and those before it.
    var acceptedConnections: Int { clients.lastSerial }

    /// The connection of a token, if it is still there.
    public func connection(_ token: ConnectionToken) -> Connection? { clients.table[token] }

    /// The connections by token, for many look-ups.
    var table: ConnectionTable { clients.table }

    /// Serves a connection when its user's turn comes.
    func enqueue(_ connection: Connection) { calls.enqueue(connection) }

    /// Tells epoll what a connection waits for, if that has changed.
    func rearm(_ connection: Connection) { clients.rearm(connection) }

    /// A client's socket is full: the client must read something within a while.
    func didBlock(_ connection: Connection, _ now: BootTime) { stuck.begin(since: now, now: now) }

    /// The user for whom the loop works now, on a call or on the end of a connection; nil: none.
    var acting: Caller? { pacing.acting }

    /// Whether there are streams that calls of others could hold up.
    var hasStreams: Bool { quotas.hasStreams }

    /// Charges a user for work that the user caused and that was done later.
    func charge(_ caller: Caller, isTrusted: Bool = false, calls: Int, nanoseconds: Int64, now: BootTime) {
        pacing.charge(caller, isTrusted: isTrusted, calls: calls, nanoseconds: nanoseconds, now: now)
    }

    // MARK: clients go

    /// Closes a connection at the end of the turn, when nobody is in the middle of sending to it, and then informs its
    /// handler.
    public func close(_ connection: Connection) { clients.close(connection) }

    /// Closes a client that leaves more unread than its user may have: the rest of a message can be neither kept nor
    /// left out.
    func closeOverdrawn(_ connection: Connection, _ now: BootTime) {
        let words = "leaves more bytes unread than its user's share"
        log.writeClosing(connection, .unread(user: connection.peer.userID), words, now)
        close(connection)
    }

    private func closeStuck(_ now: BootTime) {
        for connection in stuck.overdue(among: connections, now: now, since: { $0.stuckSince(now: now) }) {
            log.writeClosing(connection, .stuck(user: connection.peer.userID), "has read nothing for too long", now)
            connection.handler.didGetStuck(connection, now: now)
            close(connection)
        }
    }

    /// Removes the connections that were closed in this turn, as many as there is time for.
    func removeClosed(_ now: BootTime) {
        guard clients.hasClosing else { return }
        pacing.beginServing()
        var buried = 0
        // An end may take as long as a call if a stream has many resources.
        while buried == 0 || !pacing.isTimeUp, let connection = clients.removeClosing() {
            buried += 1
            pacing.account(for: connection.caller, isTrusted: connection.peer.isAdministrator, now) {
                // The service manager may hold the socket too: the client must see the end at once.
                connection.socket.end()
                connection.handler.didClose(connection, now: now)
                return 0
            }
        }
        acceptor.descriptorsWereFreed(now)
    }
}
