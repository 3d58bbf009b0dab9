internal import Admission
public import Delivery
public import Platform
public import Readings

/// The clients: how they come, are served in each turn of the loop, and go.
///
/// Each of the parts has its own state and its own limit on the time that it takes in a turn.
public final class Clients {
    /// Each user's share of the server.
    public let quotas = Quotas()
    /// Sees what clients are sent, in case this process dies.
    public let observer = CrashObserver()
    let log: RationedJournal
    let connections: Connections
    let pacing: CallPacing
    let calls: CallService
    private let acceptor: Acceptor
    private let admission: ClientAdmission
    private var ready: ReadyClients
    /// Clients with full sockets, which may have stopped reading: nothing reports that a client reads a little.
    private let stuck = OverdueWatch(limitNanoseconds: Limits.stuckNanoseconds, mostChecks: 40, leastChecks: 6)

    init(
        _ poller: Poller, _ sources: EventSources, _ log: RationedJournal, firstAfter generation: UInt32,
        clock: @escaping () -> BootTime
    ) {
        self.log = log
        let quotas = quotas
        let hasStreams = { quotas.hasStreams }
        connections = Connections(poller, log, firstAfter: generation)
        acceptor = Acceptor(sources, log, clock: clock, hasStreams: hasStreams)
        admission = ClientAdmission(quotas, log)
        pacing = CallPacing(clock: clock, hasStreams: hasStreams)
        calls = CallService(connections, pacing)
        ready = ReadyClients(connections, pacing, calls)
    }

    func setAlarms(in agenda: Agenda) {
        let (acceptor, admission, calls) = (acceptor, admission, calls)
        agenda.add("accepting", at: { acceptor.deadline }, acceptor.resume)
        agenda.add("rejected clients", at: { admission.deadline }, admission.closeRejected)
        agenda.add("stuck clients", at: { [unowned self] in stuck.deadline }) { [unowned self] in closeStuck($0) }
        agenda.add("unfinished calls", at: { calls.deadline }, calls.closeUnfinished)
    }

    /// Sets how long a client may read nothing while there is something for it, before its connection is closed.
    public func setPatience(nanoseconds: Int64, now: BootTime) { stuck.setLimit(nanoseconds: nanoseconds, now: now) }

    // MARK: the clients that are there

    /// The open connections.
    public var all: [Connection] { connections.table.all }

    /// How many there are.
    public var count: Int { connections.table.count }

    /// How many have come to this process.
    private(set) var acceptedCount = 0

    /// The connection of a token, if it is still there.
    public subscript(token: ConnectionToken) -> Connection? { connections.table[token] }

    /// Whether a client has not read everything that was sent to it: virtual time waits for it.
    var isReadingBehind: Bool { all.contains { $0.queuedBytes > 0 } }

    // MARK: a turn

    func turnWillBegin() { pacing.beginTurn() }

    func act(on list: ReadyList, _ now: BootTime) { ready.act(on: list, now) }

    func serveCalls(_ now: BootTime) { calls.serveWaiting(now) }

    /// When the next turn for clients is due besides the alarms; nil: not before something arrives.
    var nextTurn: BootTime? { connections.hasClosing ? BootTime(nanoseconds: 0) : pacing.nextService }

    // MARK: clients come

    /// Serves the clients of a listening socket.
    public func add(_ listener: Listener) throws(SystemError) {
        try acceptor.add(listener) { [unowned self] socket, now in admit(socket, listener.handler, now: now) }
    }

    /// Restores the sockets whose paths were removed; returns all that were not at their paths.
    public func restoreSockets(now: BootTime) -> [Listener.LostPlace] { acceptor.restoreSockets(now) }

    /// Serves a client, which need not have come through a listener, if its user may have one more connection.
    public func admit(_ socket: consuming UnixSocket, _ handler: any CallHandler, now: BootTime) {
        guard let peer = try? socket.peer() else { return }
        pacing.charge(Caller(peer, at: handler.door), calls: 1, nanoseconds: 0, now: now)
        guard let charge = admission.charge(peer, at: handler.door) else {
            return admission.turnAway(socket, peer, at: handler.door, now: now)
        }
        let connection = connect(
            socket, handler, peer: peer, charge: charge, serial: connections.lastSerial + 1, since: now, now: now)
        guard let connection else { return }
        acceptedCount += 1
        connection.setSendBuffer(bytes: Limits.leastQueuedBytes)
    }

    /// Continues with a client that another process has admitted, keeping its number; nil if that is impossible.
    ///
    /// The client may be in the middle of a message, so a rejected one gets no error, only the end of its connection.
    func readmit(
        _ socket: consuming UnixSocket, _ handler: any CallHandler, serial: Int, since: BootTime, now: BootTime
    ) -> Connection? {
        guard let peer = try? socket.peer() else {
            socket.end()
            return nil
        }
        let charge = admission.chargeAgain(peer, at: handler.door)
        return connect(socket, handler, peer: peer, charge: charge, serial: serial, since: since, now: now)
    }

    private func connect(
        _ socket: consuming UnixSocket, _ handler: any CallHandler, peer: Peer, charge: consuming Charge, serial: Int,
        since: BootTime, now: BootTime
    ) -> Connection? {
        let connection = Connection(
            token: connections.makeToken(), serial: serial, since: since, peer: peer, socket: socket, charge: charge,
            handler: handler, clients: self, now: now)
        guard connections.insert(connection) else {
            connection.socket.end()
            return nil
        }
        return connection
    }

    // MARK: clients go

    /// Closes a connection at the end of the turn, when nobody is in the middle of sending to it, and then informs its
    /// handler.
    public func close(_ connection: Connection) { connections.close(connection) }

    /// A client's socket is full: the client must read something within a while.
    func didBlock(_ connection: Connection, _ now: BootTime) { stuck.begin(since: now, now: now) }

    private func closeStuck(_ now: BootTime) {
        guard !stuck.putOff(now) else { return }
        for connection in stuck.overdue(among: all, now: now, since: { $0.stuckSince(now: now) }) {
            connection.handler.didGetStuck(connection, now: now)
            connections.close(connection, for: LogCause.stuck, "has read nothing for too long", now)
        }
    }

    /// Removes the connections that were closed in this turn, as many as there is time for.
    func removeClosed(_ now: BootTime) {
        guard connections.hasClosing else { return }
        pacing.beginServing()
        var removed = 0
        // An end may take as long as a call if a stream has many resources.
        while removed == 0 || !pacing.isTimeUp, let connection = connections.removeClosing() {
            removed += 1
            pacing.account(for: connection.caller, now) {
                // The service manager may hold the socket too: the client must see the end at once.
                connection.socket.end()
                connection.handler.didClose(connection, now: now)
                return 0
            }
        }
        acceptor.descriptorsWereFreed(now)
    }

    /// Closes all sockets at once, and removes their paths.
    func removeAll() {
        connections.removeAll()
        acceptor.close()
    }
}
