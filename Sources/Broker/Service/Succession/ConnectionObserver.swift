internal import Delivery
internal import Platform

/// What the ledger says of a connection: whether the next process could continue it if this one died now.
final class ConnectionRecord {
    let ledger: Ledger?
    /// The connection's slot in the ledger.
    let slot: LedgerSlot
    private(set) var marks: ConnectionMarks = []
    /// Whether the connection's socket is in the service manager's store.
    private(set) var isKept = false
    /// The generation of the first checkpoint that describes the connection correctly.
    private var generation: Int64 = 0

    init(_ ledger: Ledger?, slot: LedgerSlot) {
        self.ledger = ledger
        self.slot = slot
        // The slot may have been used by another connection.
        ledger?.write(0, at: LedgerLayout.reached(of: slot))
        writeMarks()
    }

    func mark(_ mark: ConnectionMarks) {
        marks.insert(mark)
        writeMarks()
    }

    func unmark(_ mark: ConnectionMarks) {
        marks.remove(mark)
        writeMarks()
    }

    /// The service manager keeps the connection's socket.
    func setKept() { isKept = true }

    /// The checkpoint of this generation is the first that describes the connection correctly.
    func setUpToDate(in generation: Int64) {
        self.generation = generation
        unmark(.outOfDate)
    }

    /// The connection got its message in a round.
    func wasReached(in round: LedgerRound) { ledger?.write(round.number, at: LedgerLayout.reached(of: slot)) }

    private func writeMarks() { ledger?.write(marks.word(since: generation), at: LedgerLayout.marks(of: slot)) }
}
