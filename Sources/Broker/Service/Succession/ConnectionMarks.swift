/// Why another process could not continue a connection if this one died now.
///
/// Without a mark, nothing is pending for the client: no gap, no grant and no part of a message.
struct ConnectionMarks: OptionSet {
    let rawValue: UInt8

    /// A message may be sent in part only, or the client is owed what it missed.
    static let amidMessage = ConnectionMarks(rawValue: 1)
    /// What was recorded of it no longer holds.
    static let outOfDate = ConnectionMarks(rawValue: 2)

    /// Some of the readings that it is due have been sent, and others have not.
    static let amidBundle = ConnectionMarks(rawValue: 4)

    /// The word in the ledger: the marks, with the generation of the first checkpoint that describes the connection correctly.
    func word(since generation: Int64) -> Int64 { generation << 8 | Int64(rawValue) }

    /// Whether the checkpoint of a generation describes the connection in a slot correctly.
    ///
    /// The service manager may not have received the latest checkpoint when the process died, and an older one lacks the
    /// latest changes.
    static func isCurrent(_ generation: Int64, _ slot: LedgerSlot, _ ledger: [Int64]) -> Bool {
        let index = LedgerLayout.marks(of: slot)
        guard index < ledger.count else { return false }
        return ledger[index] & 0xff == 0 && ledger[index] >> 8 <= generation
    }
}
