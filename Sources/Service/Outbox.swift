internal import Admission
internal import Readings

/// What a client's socket has not taken yet, and whether the client reads.
///
/// A class, like `ConnectionRecord`: every message asks both, and of a structure in a class that is changed in place each
/// question costs a check for exclusive access, 95 instructions.
final class Outbox {
    /// The rest of a message, and replies behind it.
    private(set) var bytes: [UInt8] = []
    /// Since when the socket has been full; nil: it is not.
    private(set) var blockedSince: BootTime?
    /// What the client had still to read when it was last seen to have read something.
    private var unreadBytes = Int.max
    private var lastProgress: BootTime
    /// For the bytes, beyond those that are free or reserved for.
    private var charge: Charge?

    init(now: BootTime) { lastProgress = now }

    /// The socket did not take this.
    func append(_ rest: Span<UInt8>) {
        unsafe rest.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// The socket has taken so many bytes.
    func didSend(_ count: Int) {
        assert(blockedSince != nil && count <= bytes.count, "what is unsent keeps the socket blocked")
        if count == bytes.count {
            bytes = []
            charge = nil
        } else {
            bytes.removeFirst(count)
        }
    }

    /// Pays for the bytes beyond so many; false: the user may not have that much.
    func pay(beyond free: Int, _ take: (Int) -> Charge?) -> Bool {
        let owed = bytes.count - free
        guard owed > charge?.amount ?? 0 else { return true }
        charge = nil
        charge = take(owed)
        return charge != nil
    }

    /// The socket is full, with so much for the client to read.
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

    /// Since when the client has read nothing of a full socket, which has so much for it to read now.
    func stuckSince(unreadBytes unread: Int, now: BootTime) -> BootTime? {
        guard let blockedSince else { return nil }
        if unread < unreadBytes { lastProgress = now }
        unreadBytes = unread
        return max(blockedSince, lastProgress)
    }
}
