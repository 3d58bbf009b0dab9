/// The places that lanes have, the lowest free one first: only some of them have a word in the ledger.
struct LanePlaces: Sendable {
    /// A bit for each place, which is set if the place is taken.
    private var words: [UInt64] = []

    /// The lowest place that is free, which is taken from now on.
    mutating func take() -> Int {
        let index = words.firstIndex { $0 != .max } ?? words.count
        if index == words.count { words.append(0) }
        let bit = (~words[index]).trailingZeroBitCount
        words[index] |= 1 << UInt64(bit)
        return index * UInt64.bitWidth + bit
    }

    /// A place is free again.
    mutating func giveBack(_ place: Int?) {
        guard let place else { return }
        words[place / UInt64.bitWidth] &= ~(1 << UInt64(place % UInt64.bitWidth))
    }
}
