internal import Admission
internal import Readings

/// What a client's socket has not taken yet, and whether the client reads.
///
/// While something is unsent, the socket counts as full.
///
/// A class, like `ConnectionObserver`, since every message reads both: a structure that is changed in place would be checked for
/// exclusive access on each read (`Array.adding`).
final class Outbox {
    /// The rest of a message, and replies behind it.
    private(set) var bytes: [UInt8] = []
    /// Since when the socket has been full; nil: it is not.
    private(set) var blockedSince: BootTime?
    /// Whether the connection ends: nothing more is sent.
    private(set) var isClosed = false
    private(set) var lastSent: BootTime
    /// The unread bytes when the client was last seen to have read something.
    private var unreadBytes = Int.max
    private var lastProgress: BootTime
    /// The charge for the bytes, beyond those that are free or reserved.
    private var charge: Charge?

    init(now: BootTime) {
        lastSent = now
        lastProgress = now
    }

    /// Whether the socket may take a message now.
    var isFree: Bool { blockedSince == nil && !isClosed }

    func close() { isClosed = true }

    /// Bytes went out that were never held here.
    func didSend(now: BootTime) {
        assert(bytes.isEmpty, "what is unsent goes first")
        lastSent = now
    }

    func append(_ rest: Span<UInt8>) {
        unsafe rest.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    func didSend(_ count: Int, now: BootTime) {
        assert(blockedSince != nil && count <= bytes.count, "what is unsent keeps the socket blocked")
        lastSent = now
        if count == bytes.count {
            bytes = []
            charge = nil
        } else {
            bytes.removeFirst(count)
        }
    }

    /// Pays for the bytes beyond the free ones; false: the user may not have that many.
    func pay(beyond free: Int, _ take: (Int) -> Charge?) -> Bool {
        let excess = bytes.count - free
        guard excess > charge?.amount ?? 0 else { return true }
        charge = nil
        charge = take(excess)
        return charge != nil
    }

    /// The socket is full, with this many bytes for the client to read.
    func didBlock(unreadBytes: Int, now: BootTime) {
        assert(blockedSince == nil)
        blockedSince = now
        self.unreadBytes = unreadBytes
    }

    /// The socket has room, and has taken everything.
    func didUnblock() {
        assert(bytes.isEmpty && charge == nil)
        blockedSince = nil
    }

    /// Since when the client has read nothing from a full socket, which now has this many bytes for it to read.
    func stuckSince(unreadBytes unread: Int, now: BootTime) -> BootTime? {
        guard let blockedSince else { return nil }
        if unread < unreadBytes { lastProgress = now }
        unreadBytes = unread
        return max(blockedSince, lastProgress)
    }
}
