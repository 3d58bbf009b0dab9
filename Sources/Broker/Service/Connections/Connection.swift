internal import Admission
public import Delivery
public import Platform
public import Readings
internal import Varlink

/// One client: its calls come in, replies and streams go out; nothing that it does or fails to do blocks anybody.
///
/// The kernel's socket buffer is the client's queue. User space holds no more than the unsent rest of one streamed
/// message, and the reply to one call: while a reply is unsent, no further call is read. Calls are served strictly in
/// turn. While one is being answered over time (`busy`), the socket is not read at all, so further calls stay in the
/// kernel; a client that has only closed its writing side still gets its stream, and a hang-up shows the end of the
/// connection.
public final class Connection {
    /// The phases of a connection.
    enum Phase {
        /// Waits for the next call.
        case ready
        /// Answers a call over time: a stream, or a reading that has not come yet.
        case busy
        /// Will be removed at the end of the turn.
        case closing
    }

    /// Identifies this connection, and distinguishes it from earlier ones in the same slot.
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

    /// Its phase.
    private(set) var phase = Phase.ready
    /// Whether it is queued to be served; then nothing is read from it.
    private(set) var isWaiting = false
    /// A reply that is written in portions; nil: there is none.
    private(set) var longReply: (any LongReply)?
    /// The interest that epoll was last given.
    private var armed: EventLoop.Interest = .read
    /// What the client has sent and the daemon has not handled.
    var input = CallInput()
    /// What the socket has not taken yet.
    private let outbox: Outbox
    /// The charge for the bytes that the kernel may hold for this client, beyond those that every client has.
    private var queueCharge: Charge?
    /// When bytes last went out.
    private(set) var lastSent: BootTime
    /// What the next process may know of it if this one dies.
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
        record = ConnectionRecord(server.ledger, slot: LedgerSlot(token))
    }

    /// Bytes sent to the client that it has not read, including those in the kernel.
    public var queuedBytes: Int { outbox.bytes.count + socket.unreadBytes() }

    // MARK: phases

    /// The current call will be answered over time.
    public func makeBusy() {
        assert(phase != .busy, "calls are answered one at a time")
        guard phase == .ready else { return }
        phase = .busy
        server.rearm(self)
    }

    /// The current call will be answered in portions, each when its user's turn comes.
    func makeBusy(with reply: any LongReply) {
        makeBusy()
        longReply = reply
        server.enqueue(self)
    }

    /// The current call is answered: the next one may come, or may have arrived already.
    public func finishCall() {
        assert(phase != .ready, "no call is in hand")
        guard phase == .busy else { return }
        longReply = nil
        phase = .ready
        server.enqueue(self)
    }

    /// Marks the connection as queued to be served; false: it is already, or there is nothing to serve.
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

    /// From now on nothing more is read or sent; false: it was closing already.
    func beginClosing() -> Bool {
        guard phase != .closing else { return false }
        phase = .closing
        return true
    }

    /// What epoll must wait for from now on; nil: that has not changed.
    func takeChangeOfInterest() -> EventLoop.Interest? {
        guard phase != .closing else { return nil }
        let wanted: EventLoop.Interest =
            outbox.blockedSince != nil ? .write : phase == .ready && !input.hasEnded && !isWaiting ? .read : []
        guard wanted != armed else { return nil }
        armed = wanted
        return wanted
    }

    // MARK: sending

    /// Sends a whole message that must not be dropped; the part that the socket does not take follows when it drains.
    public func reply(_ message: [UInt8], now: BootTime) {
        if isBundling { sendBundle(now: now) }
        post(message, now)
    }

    private func post(_ message: [UInt8], _ now: BootTime) {
        guard phase != .closing, !message.isEmpty else { return }
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
    /// A message that is taken only in part counts as taken: its rest is sent before anything else.
    public func stream(_ message: Span<UInt8>, now: BootTime) -> Bool {
        // Unsent bytes keep the socket blocked.
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

    // MARK: readings of labelled requests

    /// Whether all that its stream delivers goes through `gather`: it has requests with labels, or had, and what was gathered for
    /// them has not been sent.
    // Each message to any client reads this.
    private(set) var isBundling = false
    private var bundle = Bundle()

    /// Whether something has been gathered, and `sendBundle` must follow.
    var isGathering: Bool { !bundle.isEmpty || bundle.isSplit }

    /// The label of a request, by its number.
    func label(of request: UInt32) -> String? { bundle.labels[request] }

    /// A request with a label, by its number, begins; nil: it ends.
    func setLabel(_ label: String?, of request: UInt32) {
        bundle.labels[request] = label
        isBundling = !bundle.labels.isEmpty || isGathering
    }

    /// Takes readings and gaps of a request, to be sent with those of others (`sendBundle`); returns whether they will be, as
    /// `stream` does.
    func gather(
        _ readings: ArraySlice<Sample>, _ gaps: [Gap], of resource: ResourceName, request: UInt32,
        _ form: (satellites: Bool, isPacked: Bool), now: BootTime
    ) -> Bool {
        guard outbox.blockedSince == nil, phase != .closing else { return false }
        bundle.add(readings, gaps, of: resource, request: request, form)
        guard bundle.isFull else { return true }
        // If the process died now, the next one could not tell which of the requests have got their readings.
        record.mark(.amidBundle)
        post(bundle.take(isLast: false), now)
        return true
    }

    /// What has been gathered is sent after the round to which it belongs: the next process would take it for sent.
    func bundleOutlivesRound() { record.mark(.amidBundle) }

    /// Sends what has been gathered; as with `stream`, a message that is taken only in part counts as taken.
    func sendBundle(now: BootTime) {
        guard isGathering else { return }
        post(bundle.take(isLast: true), now)
        isBundling = !bundle.labels.isEmpty
        if record.marks.contains(.amidBundle) { record.unmark(.amidBundle) }
    }

    /// The socket has room again; returns whether everything held back is now in the kernel.
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

    /// Continues with bytes that another process could not send: they are sent before anything else.
    func resume(unsent: [UInt8], isBlocked: Bool, now: BootTime) {
        if isBlocked || !unsent.isEmpty { hold(unsent.span, now) }
    }

    /// The rest of a message, and replies behind it, that the socket has not taken yet.
    var unsent: [UInt8] { outbox.bytes }

    /// True while a reply, or the rest of a message, is not yet in the kernel.
    var hasUnsent: Bool { !outbox.bytes.isEmpty }

    /// Since when the socket has been full; nil: it is not.
    var blockedSince: BootTime? { outbox.blockedSince }

    /// Since when the client has read nothing although its socket is full; nil: the socket is not full.
    func stuckSince(now: BootTime) -> BootTime? {
        guard outbox.blockedSince != nil else { return nil }
        return outbox.stuckSince(unreadBytes: socket.unreadBytes(), now: now)
    }

    /// If this process dies during the send, the ledger says how much of the message the kernel took, and whose message
    /// it is.
    @inline(__always)
    private func send(_ message: Span<UInt8>) -> SendOutcome {
        guard let ledger = record.ledger else { return socket.send(message) }
        let round = server.round
        let outcome = socket.send(message, notedIn: ledger, at: LedgerLayout.note, tag: round.tag(slot: record.slot))
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

    // MARK: the shares of its user

    /// Bytes of unsent messages that are reserved already.
    var reservedUnsentBytes = 0 {
        didSet { assert(reservedUnsentBytes >= 0) }
    }

    /// Sets how many bytes the kernel may hold for this client; beyond those that every client has, only as many as its
    /// user may have.
    ///
    /// A client whose user has used up its share loses readings sooner, and gets gaps for them.
    func setSendBuffer(bytes: Int) {
        let free = Limits.leastQueuedBytes
        queueCharge = nil
        var granted = min(bytes, Limits.queuedBytes)
        while granted > free {
            queueCharge = charge(granted - free, of: server.quotas.queues)
            if queueCharge != nil { break }
            granted = max(granted / 2, free)
        }
        // The kernel doubles the number that it is given.
        socket.setSendBuffer(bytes: granted / 2)
    }

    /// Makes room for the last messages of a stream, which ends with the connection.
    func makeRoomForLastWords() { socket.setSendBuffer(bytes: 1 << 20) }

    /// Charges its user for the bytes of an incomplete call; false: the user may not have that many.
    func chargeCall() -> Bool { input.pay { charge($0, of: server.quotas.bytes) } }

    /// Charges its user for the unsent bytes; false: the user may not have that many.
    ///
    /// Administrators are few: they get their answers however much clients have used.
    private func chargeUnsent() -> Bool {
        guard handler.door == .clients else { return true }
        return outbox.pay(beyond: Limits.leastUnsentBytes + reservedUnsentBytes) {
            charge($0, of: server.quotas.bytes)
        }
    }

    /// Charges its user for bytes; nil if that exceeds the user's share.
    func charge(_ bytes: Int, of quota: Quota) -> Charge? {
        quota.charge(bytes, to: peer.userID, isTrusted: peer.isAdministrator)
    }

    // MARK: what the next process may know

    /// The client has received everything that it was owed while its socket was full, unless the socket is full again.
    func didCatchUp() { if outbox.blockedSince == nil { record.unmark(.amidMessage) } }

    /// Whether nothing is pending for it: no gap, and no rest of a message.
    var hasCaughtUp: Bool { !record.marks.contains(.amidMessage) }

    /// Whether no checkpoint describes it correctly.
    var isOutOfDate: Bool { record.marks.contains(.outOfDate) }

    /// The checkpoint no longer describes it correctly.
    func setOutOfDate() { record.mark(.outOfDate) }

    /// The checkpoint of this generation is the first that describes it correctly.
    func setUpToDate(in generation: Int64) { record.setUpToDate(in: generation) }

    /// Whether its socket is in the service manager's store.
    private(set) var isKept = false

    /// The service manager keeps its socket.
    func setKept() { isKept = true }
}
