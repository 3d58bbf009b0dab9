internal import Delivery

/// The number of a group of words in the ledger: those of one connection, or of one lane of a resource.
struct LedgerSlot: Ordinal {
    /// Counted from 0.
    let number: Int
    init(_ number: Int) { self.number = number }

    /// The slot of a connection, which a later connection may use again.
    init(_ token: ConnectionToken) { number = Int(token.slot) }
}

/// The slots of a resource's lanes in the ledger, by the numbers of the lanes.
///
/// A lane has a slot since the first checkpoint that describes clients in it; until then nobody would read its words.
struct LaneSlots {
    private var slots: [Int: LedgerSlot] = [:]

    subscript(lane: Int) -> LedgerSlot? { slots[lane] }

    /// Gives each of these lanes a slot, the lowest free one, as long as there are any; others lose theirs.
    mutating func assign(to lanes: [Int]) {
        let present = Set(lanes)
        slots = slots.filter { present.contains($0.key) }
        let taken = Set(slots.values)
        var free = (0..<LedgerLayout.lanes).lazy.map { LedgerSlot($0) }.filter { !taken.contains($0) }.makeIterator()
        for lane in lanes where slots[lane] == nil { slots[lane] = free.next() }
        assert(Set(slots.values).count == slots.count, "two lanes have one slot")
    }
}
