internal import Admission
public import Delivery
public import Platform
public import Readings
internal import Varlink

/// One client: its calls come in, replies and streams go out; nothing it does or fails to do blocks anybody.
///
/// The kernel's socket buffer is the client's queue. User space holds no more than the unsent rest of one streamed message,
/// and replies to calls, of which there is one at a time: while one is unsent, no further call is read.
/// Calls are served strictly in turn. While one is being answered over time (`busy`), the socket is not read at all, so
/// what the client queues behind it stays in the kernel; a client that has only closed its writing side still gets its
/// stream, and the end of a connection is seen by its hang-up.
public final class Connection {
    /// What the connection does.
    enum Phase {
        /// Waits for the next call.
        case ready
        /// A call is being answered over time: a stream, or a reading that is waited for.
        case busy
        /// Leaves at the end of the turn.
        case closing
    }

    /// Identifies this connection, also among earlier ones in the same place.
    public let token: ConnectionToken
    /// Its number for people, counted from 1.
    public let serial: Int
    /// When the client connected, to this daemon or to its predecessor.
    public let since: BootTime
    /// The process at the other end.
    public let peer: Peer
    /// The user that its calls are charged to.
    let caller: Caller
    let handler: any CallHandler
    let socket: UnixSocket
    private unowned let server: Server
    private let charge: Charge

    /// What it does.
    private(set) var phase = Phase.ready
    /// It waits for its turn to be served, so nothing is read of it.
    private(set) var isWaiting = false
    /// A reply that is written in portions; nil: there is none.
    private(set) var longReply: (any LongReply)?
    /// What epoll was last told.
    private var armed: EventLoop.Interest = .read
    /// What the client has sent and has not been dealt with.
    var input = CallInput()
    /// What the socket has not taken yet.
    private let outbox: Outbox
    /// For the bytes that the kernel may hold for this client, beyond those that every client has.
    private var queueCharge: Charge?
    /// When bytes last went out.
    private(set) var lastSent: BootTime
    /// What the next process may know of it, should this one die.
    private let record: ConnectionRecord

    init(
        token: ConnectionToken, serial: Int, since: BootTime, peer: Peer, socket: consuming UnixSocket,
        charge: consuming Charge, handler: any CallHandler, server: Server, now: BootTime
    ) {
        self.token = token
        self.serial = serial
        self.since = since
        self.peer = peer
        self.socket = socket
        self.handler = handler
        self.server = server
        self.charge = charge
        caller = Caller(userID: peer.userID, isAdministrating: handler.door == .administrators)
        outbox = Outbox(now: now)
        lastSent = now
        record = ConnectionRecord(server.ledger, place: LedgerPlaces.place(of: token))
    }

    /// Bytes that the client has been sent and has not read, the kernel's included.
    public var queuedBytes: Int { outbox.bytes.count + socket.unreadBytes() }

    // MARK: phases

    /// The call in hand will be answered over time.
    public func makeBusy() {
        assert(phase != .busy, "calls are answered one at a time")
        guard phase == .ready else { return }
        phase = .busy
        server.rearm(self)
    }

    /// The call in hand will be answered in portions, each when its user's turn comes.
    func makeBusy(with reply: any LongReply) {
        makeBusy()
        longReply = reply
        server.enqueue(self)
    }

    /// The call in hand is answered: the next one may come, or may have been queued already.
    public func finishCall() {
        assert(phase != .ready, "no call is in hand")
        guard phase == .busy else { return }
        longReply = nil
        phase = .ready
        server.enqueue(self)
    }

    /// It waits for its turn to be served from now on; false: it does already, or there is nothing to serve.
    func beginWaiting() -> Bool {
        guard phase == .ready || phase == .busy && longReply != nil, !isWaiting, !hasUnsent else { return false }
        isWaiting = true
        return true
    }

    /// Its turn has come.
    func endWaiting() {
        assert(isWaiting)
        isWaiting = false
    }

    /// Nothing more is read or sent; false: that is so already.
    func beginClosing() -> Bool {
        guard phase != .closing else { return false }
        phase = .closing
        return true
    }

    /// What epoll is to wait for from now on; nil: that has not changed.
    func takeChangeOfInterest() -> EventLoop.Interest? {
        guard phase != .closing else { return nil }
        let wanted: EventLoop.Interest =
            outbox.blockedSince != nil ? .write : phase == .ready && !input.hasEnded && !isWaiting ? .read : []
        guard wanted != armed else { return nil }
        armed = wanted
        return wanted
    }

    // MARK: sending

    /// Sends a whole message that must not be dropped; what the socket does not take follows when it drains.
    public func reply(_ message: [UInt8], now: BootTime) {
        guard phase != .closing else { return }
        guard !hasUnsent else { return hold(message.span, now) }
        switch send(message.span) {
        case .sent: lastSent = now
        case .partly(let count): hold(message.span.extracting(count...), now)
        case .full: hold(message.span, now)
        case .failed: server.close(self)
        }
    }

    /// Sends a whole message of a stream if the socket takes it now; returns whether it did.
    ///
    /// A message that is taken only in part counts as taken: its rest goes before anything else.
    public func stream(_ message: Span<UInt8>, now: BootTime) -> Bool {
        // What is unsent keeps it blocked.
        guard outbox.blockedSince == nil, phase != .closing else { return false }
        switch send(message) {
        case .sent:
            lastSent = now
            return true
        case .partly(let count):
            hold(message.extracting(count...), now)
            return true
        case .full:
            hold(Span(), now)
            return false
        case .failed:
            server.close(self)
            return false
        }
    }

    /// The socket has room again; returns whether everything held back is in the kernel now.
    func flush(now: BootTime) -> Bool {
        if hasUnsent {
            let rest = outbox.bytes
            switch send(rest.span) {
            case .sent: outbox.didSend(outbox.bytes.count)
            case .partly(let count): outbox.didSend(count)
            case .full: return false
            case .failed:
                server.close(self)
                return false
            }
            lastSent = now
        }
        guard !hasUnsent else { return false }
        outbox.didUnblock()
        return true
    }

    /// Goes on with what another process could not send: it goes before anything else.
    func resume(unsent: [UInt8], isBlocked: Bool, now: BootTime) {
        if isBlocked || !unsent.isEmpty { hold(unsent.span, now) }
    }

    /// The rest of a message, and replies behind it, that the socket has not taken yet.
    var unsent: [UInt8] { outbox.bytes }

    /// True while a reply, or the rest of a message, is not yet in the kernel.
    var hasUnsent: Bool { !outbox.bytes.isEmpty }

    /// Since when the socket has been full; nil: it is not.
    var blockedSince: BootTime? { outbox.blockedSince }

    /// Since when the client has read nothing although its socket is full; nil: it is not full.
    func stuckSince(now: BootTime) -> BootTime? {
        guard outbox.blockedSince != nil else { return nil }
        return outbox.stuckSince(unreadBytes: socket.unreadBytes(), now: now)
    }

    /// If this process dies meanwhile, the ledger says how much of the message the kernel took, and whose message it is.
    @inline(__always)
    private func send(_ message: Span<UInt8>) -> SendOutcome {
        guard let ledger = record.ledger else { return socket.send(message) }
        let round = server.round
        let outcome = socket.send(message, notedIn: ledger, at: LedgerPlaces.note, tag: round.tag(place: record.place))
        if case .sent = outcome, round.number > 0 { record.wasReached(in: round) }
        return outcome
    }

    private func hold(_ rest: Span<UInt8>, _ now: BootTime) {
        record.mark(.amidMessage)
        outbox.append(rest)
        guard chargeUnsent() else { return server.closeOverdrawn(self, now) }
        if outbox.blockedSince == nil {
            outbox.didBlock(unreadBytes: socket.unreadBytes(), now: now)
            server.didBlock(self, now)
        }
        server.rearm(self)
    }

    // MARK: its user's shares

    /// Bytes of messages that may be unsent because they are reserved for.
    var reservedUnsentBytes = 0 {
        didSet { assert(reservedUnsentBytes >= 0) }
    }

    /// Sets how many bytes the kernel may hold for this client; beyond those that every client has, only as many as its user
    /// may have.
    ///
    /// A client whose user has used up its share loses readings sooner, and is told the gaps.
    func setSendBuffer(bytes: Int) {
        let free = Limits.leastQueuedBytes
        queueCharge = nil
        var granted = min(bytes, Limits.queuedBytes)
        while granted > free {
            queueCharge = charge(granted - free, of: server.quotas.queues)
            if queueCharge != nil { break }
            granted = max(granted / 2, free)
        }
        // The kernel doubles what it is told.
        socket.setSendBuffer(bytes: granted / 2)
    }

    /// Makes room for the last messages of a stream, which ends with the connection.
    func makeRoomForLastWords() { socket.setSendBuffer(bytes: 1 << 20) }

    /// Charges its user with the bytes of an unfinished call; false: it may not have that many.
    func chargeCall() -> Bool { input.pay { charge($0, of: server.quotas.bytes) } }

    /// Charges its user with the unsent bytes; false: it may not have that many.
    ///
    /// Administrators are few: they get their answers however much clients have used.
    private func chargeUnsent() -> Bool {
        guard handler.door == .clients else { return true }
        return outbox.pay(beyond: Limits.leastUnsentBytes + reservedUnsentBytes) {
            charge($0, of: server.quotas.bytes)
        }
    }

    /// Charges its user with bytes; nil if that is beyond its share.
    func charge(_ bytes: Int, of quota: Quota) -> Charge? {
        quota.charge(bytes, to: peer.userID, isTrusted: peer.isAdministrator)
    }

    // MARK: what the next process may know

    /// It has been told all that it was owed when its socket was full, unless that is full again.
    func didCatchUp() { if outbox.blockedSince == nil { record.unmark(.amidMessage) } }

    /// Whether nothing is pending for it: no gap, and no rest of a message.
    var hasCaughtUp: Bool { !record.marks.contains(.amidMessage) }

    /// Whether no checkpoint describes it correctly.
    var isOutOfDate: Bool { record.marks.contains(.outOfDate) }

    /// The checkpoint no longer describes it correctly.
    func setOutOfDate() { record.mark(.outOfDate) }

    /// The checkpoint of a generation describes it, the first that does so.
    func setUpToDate(in generation: Int64) { record.setUpToDate(in: generation) }

    /// Whether its socket is in the service manager's store.
    private(set) var isKept = false

    /// The service manager keeps its socket.
    func setKept() { isKept = true }
}
