internal import Delivery

/// The number of a group of words in the ledger: those of one connection, or of one lane.
struct LedgerSlot: Ordinal {
    /// Counted from 0.
    let number: Int
    init(_ number: Int) { self.number = number }

    /// The slot of a connection, which a later connection may use again.
    init(_ token: ConnectionToken) { number = Int(token.slot) }
}

/// The slots of lanes in the ledger, by their resources and numbers: whichever resource a lane is of, it gets the next free one.
///
/// A lane has a slot since the first checkpoint that describes clients in it; until then nobody would read its words.
struct LaneSlots {
    private var slots: [ResourceIndex: [Int: LedgerSlot]] = [:]
    /// Those that lanes had which have gone.
    private var free: [LedgerSlot] = []
    /// How many have ever been given.
    private var given = 0

    /// The slot of a lane of a resource; nil: it has none.
    subscript(lane: Int, of resource: ResourceIndex) -> LedgerSlot? { slots[resource]?[lane] }

    /// Whether lanes of a resource have slots.
    func has(_ resource: ResourceIndex) -> Bool { slots[resource] != nil }

    /// Gives each of these lanes of a resource a slot, as long as there are any; its others lose theirs.
    mutating func assign(to lanes: [Int], of resource: ResourceIndex) {
        let (former, present) = (slots[resource] ?? [:], Set(lanes))
        var kept = former.filter { present.contains($0.key) }
        free += former.filter { !present.contains($0.key) }.map(\.value)
        for lane in lanes where kept[lane] == nil { kept[lane] = next() }
        slots[resource] = kept.isEmpty ? nil : kept
        assert(slots.values.reduce(0) { $0 + $1.count } + free.count == given, "a slot is lost, or of two lanes")
    }

    private mutating func next() -> LedgerSlot? {
        if let slot = free.popLast() { return slot }
        guard given < LedgerLayout.lanes else { return nil }
        defer { given += 1 }
        return LedgerSlot(given)
    }
}
