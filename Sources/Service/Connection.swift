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
        /// On its way out.
        case closing
    }

    /// Identifies this connection, also among earlier ones in the same place.
    public let token: ConnectionToken
    /// Its number for people, counted from 1.
    public let serial: Int
    /// When the client connected, to this daemon or to its predecessor.
    public let since: BootTime
    /// Who is at the other end.
    public let peer: Peer
    /// What it does.
    var phase = Phase.ready
    /// When bytes last went out.
    private(set) var lastSent: BootTime
    /// Since when the socket has been full; nil: it is not.
    private(set) var blockedSince: BootTime?

    let handler: any CallHandler
    let socket: UnixSocket
    var framer: MessageFramer
    /// It waits to be served, so nothing is read of it.
    var isHeld = false
    /// There is something to read.
    var isReadable = false
    /// A reply that is written in portions.
    var longReply: (any LongReply)?
    /// Whose its calls are.
    let caller: Caller
    /// When the first byte came of a call that is not whole yet.
    var unfinishedSince: BootTime?
    /// For the bytes of that call, beyond those that are free.
    var callCharge: Charge?
    private let charge: Charge
    var queueCharge: Charge?
    /// For the bytes that are unsent, beyond those that are free or reserved.
    var unsentCharge: Charge?
    /// Bytes of messages that may be unsent since they are reserved for.
    var reservedUnsentBytes = 0
    /// The client writes no more.
    var inputEnded = false
    /// What epoll was last told.
    var armed: EventLoop.Interest = .read
    /// The rest of a message, and replies behind it, that the socket has not taken yet.
    private(set) var unsent: [UInt8] = []
    /// What the client had still to read when it was last seen to have read something.
    private var unreadBytes = Int.max
    private var lastProgress: BootTime
    unowned let server: Server
    /// What the ledger says of it: should the process die now, the client cannot go over to the next.
    private var marks: ConnectionMarks = [] {
        didSet { writeMarks() }
    }
    private let ledger: Ledger?
    private let place: Int
    /// Whether its socket is in the service manager's store.
    private(set) var isKept = false
    /// The generation of the first checkpoint that describes it correctly.
    private var generation: Int64 = 0

    init(
        token: ConnectionToken, serial: Int, since: BootTime, peer: Peer, socket: consuming UnixSocket,
        charge: consuming Charge,
        handler: any CallHandler, server: Server, now: BootTime
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
        framer = MessageFramer(maximumBytes: Limits.callBytes)
        lastSent = now
        lastProgress = now
        ledger = server.ledger
        place = LedgerPlaces.place(of: token)
        // The place may have been another one's.
        ledger?.write(0, at: LedgerPlaces.reached(place: place))
        writeMarks()
    }

    /// Bytes that the client has been sent and has not read, the kernel's included.
    public var queuedBytes: Int { unsent.count + socket.unreadBytes() }

    /// True while a reply, or the rest of a message, is not yet in the kernel.
    var hasUnsent: Bool { !unsent.isEmpty }

    var wanted: EventLoop.Interest {
        if hasUnsent || blockedSince != nil { return .write }
        return phase == .ready && !inputEnded && !isHeld ? .read : []
    }

    /// Sends a whole message that must not be dropped; what the socket does not take follows when it drains.
    public func reply(_ message: [UInt8], now: BootTime) {
        guard phase != .closing else { return }
        guard unsent.isEmpty else { return hold(message.span, now) }
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
        guard blockedSince == nil, phase != .closing else { return false }
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

    /// The call in hand is answered: the next one may come, or may have been queued already.
    public func finishCall() {
        guard phase == .busy else { return }
        phase = .ready
        server.enqueue(self)
    }

    /// The call in hand will be answered over time.
    public func makeBusy() {
        phase = .busy
        server.rearm(self)
    }

    /// Since when the client has read nothing although its socket is full; nil: it is not full.
    func stuckSince(now: BootTime) -> BootTime? {
        guard let blockedSince else { return nil }
        let unread = socket.unreadBytes()
        if unread < unreadBytes { lastProgress = now }
        unreadBytes = unread
        return max(blockedSince, lastProgress)
    }

    /// The socket has room again; returns whether everything held back is in the kernel now.
    func flush(now: BootTime) -> Bool {
        if !unsent.isEmpty {
            switch send(unsent.span) {
            case .sent:
                unsent = []
                unsentCharge = nil
            case .partly(let count): unsent.removeFirst(count)
            case .full: return false
            case .failed:
                server.close(self)
                return false
            }
            lastSent = now
        }
        guard unsent.isEmpty else { return false }
        blockedSince = nil
        return true
    }

    /// It has been told all that it was owed when its socket was full, unless that is full again.
    func didCatchUp() { if blockedSince == nil { marks.remove(.amidMessage) } }

    /// Whether nothing is pending for it: no gap, and no rest of a message.
    var hasCaughtUp: Bool { !marks.contains(.amidMessage) }

    /// Whether no checkpoint describes it correctly.
    var isOutOfDate: Bool { marks.contains(.outOfDate) }

    /// The checkpoint no longer describes it correctly.
    func setOutOfDate() { marks.insert(.outOfDate) }

    /// The checkpoint of a generation describes it, the first that does so.
    func setUpToDate(in generation: Int64) {
        self.generation = generation
        marks.remove(.outOfDate)
    }

    /// The service manager keeps its socket.
    func setKept() { isKept = true }

    private func writeMarks() { ledger?.write(marks.word(since: generation), at: LedgerPlaces.marks(place: place)) }

    /// Goes on with what another process could not send: it goes before anything else.
    func resume(unsent: [UInt8], isBlocked: Bool, now: BootTime) {
        if isBlocked || !unsent.isEmpty { hold(unsent.span, now) }
    }

    /// If this process dies meanwhile, the ledger says how much of the message the kernel took, and whose message it is.
    private func send(_ message: Span<UInt8>) -> SendOutcome {
        guard let ledger else { return socket.send(message) }
        let round = server.round
        let outcome = socket.send(message, notedIn: ledger, at: LedgerPlaces.note, tag: round.tag(place: place))
        if case .sent = outcome, round.number > 0 {
            ledger.write(round.number, at: LedgerPlaces.reached(place: place))
        }
        return outcome
    }

    private func hold(_ rest: Span<UInt8>, _ now: BootTime) {
        marks.insert(.amidMessage)
        unsafe rest.withUnsafeBufferPointer { unsafe unsent.append(contentsOf: $0) }
        guard chargeUnsent() else { return server.closeOverdrawn(self, now) }
        if blockedSince == nil {
            blockedSince = now
            unreadBytes = socket.unreadBytes()
            server.watchForProgress(until: now + server.stuckNanoseconds / 6)
        }
        server.rearm(self)
    }
}
