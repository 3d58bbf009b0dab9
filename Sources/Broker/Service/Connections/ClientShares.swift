internal import Admission

/// What a connection has of its user's shares: the connection itself, and bytes in the kernel and in this process.
struct ClientShares: ~Copyable {
    private let user: UInt32
    private let isTrusted: Bool
    private let door: Door
    private let quotas: Quotas
    private let connection: Charge
    /// The charge for the bytes that the kernel may hold, beyond those that every client has.
    private var queue: Charge?
    private var reservedUnsentBytes = 0

    init(of user: UInt32, isTrusted: Bool, at door: Door, _ quotas: Quotas, connection: consuming Charge) {
        self.user = user
        self.isTrusted = isTrusted
        self.door = door
        self.quotas = quotas
        self.connection = connection
    }

    /// Charges the user for bytes; nil if that exceeds the user's share.
    func charge(_ bytes: Int, of quota: Quota) -> Charge? {
        quota.charge(bytes, to: user, isTrusted: isTrusted)
    }

    /// How many bytes the kernel may hold for the client: of those that it needs, as many as every client has, and beyond that
    /// as many as its user may have.
    ///
    /// A client whose user has used up its share loses readings sooner, and gets gaps for them.
    mutating func takeQueue(bytes: Int) -> Int {
        let free = Limits.leastQueuedBytes
        queue = nil
        var granted = min(bytes, Limits.queuedBytes)
        while granted > free {
            queue = charge(granted - free, of: quotas.queues)
            if queue != nil { break }
            granted = max(granted / 2, free)
        }
        assert(queue?.amount ?? 0 == max(0, granted - free), "the kernel may hold what nobody is charged for")
        return granted
    }

    /// Unsent messages may take this many bytes more than every client's, which are reserved already.
    mutating func setReservedUnsent(bytes: Int) {
        assert(bytes >= 0)
        reservedUnsentBytes = bytes
    }

    /// Charges the user for the unsent bytes; false: the user may not have that many.
    ///
    /// Administrators are few: they get their answers however much clients have used.
    func payUnsent(_ outbox: Outbox) -> Bool {
        guard door != .administrators else { return true }
        return outbox.pay(beyond: Limits.leastUnsentBytes + reservedUnsentBytes) { charge($0, of: quotas.bytes) }
    }

    /// Charges the user for the bytes of an incomplete call; false: the user may not have that many.
    func payCall(_ input: inout CallInput) -> Bool { input.pay { charge($0, of: quotas.bytes) } }
}
