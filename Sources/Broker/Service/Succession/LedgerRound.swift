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

    static let none = LedgerRound(number: 0, resource: 0)

    /// The tag in the note of a message of this round to the connection in a slot.
    func tag(slot: LedgerSlot) -> Int64 { number << 16 | Int64(slot.number + 1) }

    init(number: Int64, resource: ResourceIndex) {
        self.number = number
        self.resource = resource
    }

    /// Reads the ledger's word; nil if there was no round, or its words were being written.
    init?(word: Int64) {
        guard word > 0 else { return nil }
        number = word >> 16
        resource = ResourceIndex(Int(truncatingIfNeeded: word & 0xffff))
    }

    var word: Int64 { number << 16 | Int64(resource.number) }
}
