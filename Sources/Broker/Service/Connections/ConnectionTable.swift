internal import Delivery

/// The open connections, in slots.
///
/// A token carries the slot and a generation, so that an event, or a lane's member, of a closed connection is
/// recognized as stale even if its slot is in use again.
@safe struct ConnectionTable {
    private var slots: [Connection?] = []
    /// Unretained references for the send path: reference counting is most of the cost of a message besides its system
    /// call.
    private var uncounted: [Unmanaged<Connection>?] = unsafe []
    private var freeSlots: [Int] = []
    /// The generation of the last token.
    ///
    /// Generations wrap around, so the first may be any.
    private var generation: UInt32

    /// An empty table; the first token has the generation after this one.
    init(generation: UInt32 = 0) { self.generation = generation }

    var count: Int { slots.count - freeSlots.count }

    var all: [Connection] { slots.compactMap { $0 } }

    subscript(token: ConnectionToken) -> Connection? {
        let slot = Int(token.slot)
        guard slot < slots.count, let connection = slots[slot], connection.token == token else { return nil }
        return connection
    }

    /// Calls a closure with the connection of a token, if it is still there, without reference counting.
    ///
    /// Safe as long as the connection is not removed meanwhile: this table, or a copy of it, retains it.
    func withConnection<Result>(_ token: ConnectionToken, _ act: (Connection) -> Result) -> Result? {
        let slot = Int(token.slot)
        guard unsafe slot < uncounted.count, let reference = unsafe uncounted[slot] else { return nil }
        return unsafe reference._withUnsafeGuaranteedRef { connection in
            connection.token == token ? act(connection) : nil
        }
    }

    /// A token that no other connection has had among the last 2³²; `insert` must follow.
    mutating func makeToken() -> ConnectionToken {
        generation &+= 1
        return ConnectionToken(slot: UInt32(clamping: freeSlots.last ?? slots.count), generation: generation)
    }

    /// Inserts the connection for which the last token was made.
    mutating func insert(_ connection: Connection) {
        let slot = Int(connection.token.slot)
        assert(connection.token.generation == generation, "the token is not the one that was made last")
        assert(slot == freeSlots.last ?? slots.count, "the slot is not the one that is free")
        defer { assertSlots() }
        if slot == slots.count {
            slots.append(connection)
            unsafe uncounted.append(Unmanaged.passUnretained(connection))
        } else {
            freeSlots.removeLast()
            slots[slot] = connection
            unsafe uncounted[slot] = Unmanaged.passUnretained(connection)
        }
    }

    mutating func remove(_ connection: Connection) {
        let slot = Int(connection.token.slot)
        assert(slots[slot] === connection, "the slot is another connection's")
        defer { assertSlots() }
        slots[slot] = nil
        unsafe uncounted[slot] = nil
        freeSlots.append(slot)
    }

    mutating func removeAll() {
        slots.removeAll()
        unsafe uncounted.removeAll()
        freeSlots.removeAll()
    }

    /// Both lists hold the same references, and a slot is either free or taken.
    private func assertSlots() {
        assert(unsafe uncounted.count == slots.count)
        assert(freeSlots.count == slots.count { $0 == nil } && freeSlots.allSatisfy { slots[$0] == nil })
        assert(slots.indices.allSatisfy { unsafe (uncounted[$0] == nil) == (slots[$0] == nil) })
    }
}
