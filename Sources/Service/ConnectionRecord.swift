internal import Platform

/// What the ledger says of a connection: whether the next process can go on with it, should this one die now.
final class ConnectionRecord {
    let ledger: Ledger?
    /// The connection's place in the ledger.
    let place: Int
    private(set) var marks: ConnectionMarks = []
    /// The generation of the first checkpoint that describes the connection correctly.
    private var generation: Int64 = 0

    init(_ ledger: Ledger?, place: Int) {
        self.ledger = ledger
        self.place = place
        // The place may have been another connection's.
        ledger?.write(0, at: LedgerPlaces.reached(place: place))
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

    /// The checkpoint of a generation describes the connection, the first that does so.
    func setUpToDate(in generation: Int64) {
        self.generation = generation
        unmark(.outOfDate)
    }

    /// The connection got its message of a round.
    func wasReached(in round: LedgerRound) { ledger?.write(round.number, at: LedgerPlaces.reached(place: place)) }

    private func writeMarks() { ledger?.write(marks.word(since: generation), at: LedgerPlaces.marks(place: place)) }
}
