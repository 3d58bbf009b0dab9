/// The slots that lanes have in the ledger, the lowest free one first: only some of them have a word in the ledger.
struct LedgerSlots: Sendable {
    /// A bit for each slot, which is set if the slot is taken.
    private var words: [UInt64] = []

    /// The lowest slot that is free, which is taken from now on.
    mutating func take() -> LedgerSlot {
        let index = words.firstIndex { $0 != .max } ?? words.count
        if index == words.count { words.append(0) }
        let bit = (~words[index]).trailingZeroBitCount
        words[index] |= 1 << UInt64(bit)
        return LedgerSlot(index * UInt64.bitWidth + bit)
    }

    /// A slot is free again.
    mutating func giveBack(_ slot: LedgerSlot?) {
        guard let number = slot?.number else { return }
        words[number / UInt64.bitWidth] &= ~(1 << UInt64(number % UInt64.bitWidth))
    }
}
