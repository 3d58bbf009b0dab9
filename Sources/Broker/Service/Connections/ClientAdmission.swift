internal import Admission
internal import Platform
internal import Readings
internal import Varlink

/// Decides whether a client that has connected may stay: by its user's share of connections.
///
/// A rejected client is sent one typed error, which it takes for the answer to its first call. Its socket stays open
/// for a moment: most clients send their call before they read. If the socket were closed at once, they would get EPIPE
/// and never see the error.
final class ClientAdmission {
    private let quotas: Quotas
    private let log: RationedJournal
    /// The sockets of rejected clients; the one to close first is at the front.
    private var rejected: [RejectedClient] = [] {
        didSet { deadline = rejected.first?.closesAt }
    }
    /// When the next socket of a rejected client is closed; nil: there is none.
    private(set) var deadline: BootTime?

    private final class RejectedClient {
        let closesAt: BootTime
        private let socket: UnixSocket

        init(_ socket: consuming UnixSocket, closesAt: BootTime) {
            self.socket = socket
            self.closesAt = closesAt
        }
    }

    init(_ quotas: Quotas, _ log: RationedJournal) {
        self.quotas = quotas
        self.log = log
    }

    /// Charges a client's user for a connection; nil: the user may have no more.
    func charge(_ peer: Peer, at door: Door) -> Charge? {
        quotas.connections(for: door).charge(1, to: peer.userID, isTrusted: peer.isAdministrator)
    }

    /// Charges the user of a client that another process has admitted: an admitted connection is not taken away because
    /// others have come since, or because there may be fewer now.
    func chargeAgain(_ peer: Peer, at door: Door) -> Charge {
        quotas.connections(for: door).chargeAgain(1, to: peer.userID)
    }

    /// Sends a rejected client one typed error, and closes its socket soon.
    func turnAway(_ socket: consuming UnixSocket, _ peer: Peer, at door: Door, now: BootTime) {
        let limit = quotas.connections(for: door).bound(isTrusted: peer.isAdministrator)
        var writer = JSONWriter(capacity: 128)
        writer.reply(limit > 0 ? door.tooManyConnections(limit: limit) : .permissionDenied)
        _ = socket.send(writer.bytes.span)
        // Beyond this number, a socket is closed at once.
        if rejected.count < Limits.turnedAway {
            rejected.append(RejectedClient(socket, closesAt: now + Limits.turnedAwayNanoseconds))
        }
        let who = "process \(peer.processID) of user \(peer.userID)"
        let words = "\(who) is rejected: its user may have no more than \(limit) connections, or its share of the rest"
        log.write(.connections(user: peer.userID), .warning, words, now: now)
    }

    func closeRejected(_ now: BootTime) {
        rejected.removeFirst(rejected.firstIndex { $0.closesAt > now } ?? rejected.count)
        assert(zip(rejected, rejected.dropFirst()).allSatisfy { $0.closesAt <= $1.closesAt })
    }
}

/// Permissions by user id, which the kernel vouches for.
extension Peer {
    /// Whether this peer may change a subscription of that one: the same user, or root.
    func mayChange(_ other: Peer) -> Bool { userID == other.userID || userID == 0 }

    /// Whether this peer may administer the broker: root, or the broker's own user.
    var isAdministrator: Bool { userID == 0 || isOfOwnUser }
}

extension Caller {
    /// The user of a peer that calls at a socket.
    init(_ peer: Peer, at door: Door) {
        self.init(userID: peer.userID, isTrusted: peer.isAdministrator, isAdministrating: door == .administrators)
    }
}
