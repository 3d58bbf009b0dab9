internal import Admission
public import Delivery
public import Platform
public import Readings
internal import Varlink

/// One client: its calls come in, replies and streams go out; nothing that it does or fails to do blocks anybody.
///
/// While a reply is unsent, no further call is read. Calls are served strictly in turn. While one is being answered over time
/// (`busy`), the socket is not read at all, so further calls stay in the kernel; a client that has only closed its writing
/// side still gets its stream, and a hang-up shows the end of the connection.
///
/// The parts decide: `CallProgress` what comes next, `ClientSocket` what a full socket does to a message,
/// `ClientShares` what its user may have.
public final class Connection {
    /// Identifies this connection, and distinguishes it from earlier ones in the same slot.
    public let token: ConnectionToken
    /// The connection's number for people, counted from 1.
    public let serial: Int
    /// When the client connected, to this daemon or to its predecessor.
    public let since: BootTime
    /// The process at the other end.
    public let peer: Peer
    let handler: any CallHandler
    private unowned let clients: Clients

    private var progress = CallProgress()
    /// What the client has sent and the daemon has not handled.
    var input = CallInput()
    private let output: ClientSocket
    private var shares: ClientShares
    /// Sees what it is sent, in case this process dies.
    let observer: ConnectionObserver
    /// What is gathered for requests with labels; nil: the stream has none.
    // Each message to any client reads this.
    private var bundle: Bundle?

    init(
        token: ConnectionToken, serial: Int, since: BootTime, peer: Peer, socket: consuming UnixSocket,
        charge: consuming Charge, handler: any CallHandler, clients: Clients, now: BootTime
    ) {
        self.token = token
        self.serial = serial
        self.since = since
        self.peer = peer
        self.handler = handler
        self.clients = clients
        observer = clients.observer.observe(token)
        output = ClientSocket(socket, observer, now: now)
        shares = ClientShares(
            of: peer.userID, isTrusted: peer.isAdministrator, at: handler.door, clients.quotas, connection: charge)
    }

    /// The user that its calls are charged to.
    var caller: Caller { Caller(peer, at: handler.door) }

    var socket: UnixSocket { _read { yield output.socket } }

    // MARK: calls

    var phase: CallProgress.Phase { progress.phase }

    var isWaiting: Bool { progress.isWaiting }

    var longReply: (any LongReply)? { progress.longReply }

    /// The current call will be answered over time.
    public func makeBusy() { if progress.begin() { clients.connections.rearm(self) } }

    /// The current call will be answered in portions, each when its user's turn comes.
    func makeBusy(with reply: any LongReply) {
        guard progress.begin(reply) else { return }
        clients.connections.rearm(self)
        clients.calls.enqueue(self)
    }

    /// The current call is answered: the next one may come, or may have arrived already.
    public func finishCall() { if progress.finish() { clients.calls.enqueue(self) } }

    /// Marks the connection as queued to be served; false: it is already, or there is nothing to serve.
    func beginWaiting() -> Bool { !hasUnsent && progress.beginWaiting() }

    func endWaiting() { progress.endWaiting() }

    /// From now on nothing more is read or sent; false: it was closing already.
    func beginClosing() -> Bool {
        output.outbox.close()
        return progress.close()
    }

    func takeChangeOfInterest() -> EventLoop.Interest? {
        progress.takeChangeOfInterest(isBlocked: blockedSince != nil, hasEnded: input.hasEnded)
    }

    /// Charges its user for the bytes of an incomplete call; false: the user may not have that many.
    func chargeCall() -> Bool { shares.payCall(&input) }

    // MARK: sending

    /// Sends a whole message that must not be dropped; the part that the socket does not take follows when it drains.
    public func reply(_ message: [UInt8], now: BootTime) {
        sendBundle(now: now)
        post(message, now)
    }

    /// Sends a whole reply, whose members a closure writes; `continues`: more replies to the same call follow.
    func reply(continues: Bool = false, now: BootTime, _ write: (inout JSONWriter) -> Void = { _ in }) {
        reply(JSONWriter.reply(continues: continues, write), now: now)
    }

    func reply(_ error: VarlinkError, now: BootTime) {
        var writer = JSONWriter(capacity: 256)
        writer.reply(error)
        reply(writer.bytes, now: now)
    }

    private func post(_ message: [UInt8], _ now: BootTime) {
        guard !output.outbox.isClosed, !message.isEmpty else { return }
        _ = follow(output.post(message.span, now: now), now)
    }

    /// Sends a whole message of a stream if the socket takes it now; returns whether it did.
    ///
    /// A message that is taken only in part counts as taken: its rest is sent before anything else.
    @inline(__always)
    func stream(_ message: Span<UInt8>, now: BootTime) -> Bool {
        guard output.outbox.isFree else { return false }
        let outcome = output.offer(message, now: now)
        if case .taken = outcome { return true }
        return follow(outcome, now)
    }

    /// Returns whether a message counts as taken; one of which something is held does.
    private func follow(_ outcome: ClientSocket.Outcome, _ now: BootTime) -> Bool {
        switch outcome {
        case .taken: return true
        case .failed:
            clients.close(self)
            return false
        case .held, .full:
            if output.block(now: now) { clients.didBlock(self, now) }
            if shares.payUnsent(output.outbox) {
                clients.connections.rearm(self)
            } else {
                // The rest of a message can be neither kept nor left out.
                let words = "leaves more bytes unread than its user's share"
                clients.connections.close(self, for: LogCause.unread, words, now)
            }
            if case .held = outcome { return true }
            return false
        }
    }

    /// The socket has room again; returns whether everything held back is now in the kernel.
    func flush(now: BootTime) -> Bool {
        switch output.flush(now: now) {
        case .taken: return true
        case .held, .full: return false
        case .failed:
            clients.close(self)
            return false
        }
    }

    /// Continues with bytes that another process could not send: they are sent before anything else.
    func resume(unsent: [UInt8], isBlocked: Bool, now: BootTime) {
        if isBlocked || !unsent.isEmpty { _ = follow(output.hold(unsent.span), now) }
    }

    /// The client has received all that was pending while its socket was full, unless the socket is full again.
    func didCatchUp() { if blockedSince == nil { observer.unmark(.amidMessage) } }

    /// Bytes sent to the client that it has not read, including those in the kernel.
    public var queuedBytes: Int { output.queuedBytes }

    /// The rest of a message, and replies behind it, that the socket has not taken yet.
    var unsent: [UInt8] { output.outbox.bytes }

    /// True while a reply, or the rest of a message, is not yet in the kernel.
    var hasUnsent: Bool { !output.outbox.bytes.isEmpty }

    var blockedSince: BootTime? { output.outbox.blockedSince }

    var isFree: Bool { output.outbox.isFree }

    var lastSent: BootTime { output.outbox.lastSent }

    func stuckSince(now: BootTime) -> BootTime? { output.stuckSince(now: now) }

    // MARK: readings of labelled requests

    /// Whether all that its stream delivers goes through `gather`: it has requests with labels, or had, and what was gathered for
    /// them has not been sent.
    var isBundling: Bool { bundle != nil }

    /// Whether something has been gathered, and `sendBundle` must follow.
    var isGathering: Bool { bundle?.isGathering ?? false }

    func label(of request: UInt32) -> String? { bundle?.labels[request] }

    /// A request with a label, by its number, begins; nil: it ends.
    func setLabel(_ label: String?, of request: UInt32) {
        let bundle = bundle ?? Bundle()
        bundle.setLabel(label, of: request)
        self.bundle = bundle.isNeeded ? bundle : nil
    }

    /// Takes readings and gaps of a request, to be sent with those of others (`sendBundle`); returns whether they will be, as
    /// `stream` does.
    func gather(
        _ readings: SampleList, _ gaps: [Gap], of resource: ResourceName, request: UInt32, _ form: ReadingForm,
        now: BootTime
    ) -> Bool {
        guard isFree, let bundle else { return false }
        bundle.add(readings, gaps, of: resource, request: request, form)
        guard bundle.isFull else { return true }
        // If the process died now, the next one could not know which of the requests have got their readings.
        observer.mark(.amidBundle)
        post(bundle.take(isLast: false), now)
        return true
    }

    /// Sends what has been gathered; as with `stream`, a message that is taken only in part counts as taken.
    func sendBundle(now: BootTime) {
        guard let bundle, bundle.isGathering else { return }
        post(bundle.take(isLast: true), now)
        if !bundle.isNeeded { self.bundle = nil }
        if observer.marks.contains(.amidBundle) { observer.unmark(.amidBundle) }
    }

    // MARK: the shares of its user

    func charge(_ bytes: Int, of quota: Quota) -> Charge? { shares.charge(bytes, of: quota) }

    /// Sets how many bytes the kernel may hold for this client, as far as its user may have them, and how many bytes of unsent
    /// messages are reserved.
    func setSendBuffer(bytes: Int, reservedUnsentBytes reserved: Int = 0) {
        shares.setReservedUnsent(bytes: reserved)
        guard bytes > 0 else { return }
        // The kernel doubles the number that it is given.
        socket.setSendBuffer(bytes: shares.takeQueue(bytes: bytes) / 2)
    }

    /// Makes room for the last messages of a stream, which ends with the connection.
    func makeRoomForLastMessage() { socket.setSendBuffer(bytes: 1 << 20) }
}
