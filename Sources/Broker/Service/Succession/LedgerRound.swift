internal import Delivery

/// A round: the outgoing replies of one resource are sent to its clients, one client after the other.
///
/// If the process dies in the middle of a round, the ledger shows which clients got their message. For the message that
/// was being sent at that moment, the kernel itself notes in the ledger how much of it was taken.
struct LedgerRound: Equatable {
    /// Increases with each round; 0 for none.
    var number: Int64 = 0
    /// Whose it is.
    var resource: ResourceIndex = 0

    static let none = LedgerRound()

    /// The tag in the note of a message of this round to the connection in a slot.
    func tag(slot: LedgerSlot) -> Int64 { number << 16 | Int64(slot.number + 1) }

    var word: Int64 { number << 16 | Int64(resource.number) }
}

extension LedgerRound {
    /// Reads the ledger's word: none if there was no round, or its words were being written.
    init(word: Int64) {
        self = .none
        if word > 0 { (number, resource) = (word >> 16, ResourceIndex(Int(truncatingIfNeeded: word & 0xffff))) }
    }
}
