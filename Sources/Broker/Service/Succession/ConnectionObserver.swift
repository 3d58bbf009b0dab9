internal import Platform

/// Sends a connection's messages, and writes to the ledger whether the next process could continue the connection if this one
/// died now.
final class ConnectionObserver {
    private let rounds: CrashObserver
    private let ledger: Ledger?
    private let slot: LedgerSlot
    private(set) var marks: ConnectionMarks = []
    /// Whether the connection's socket is in the service manager's store.
    private(set) var isKept = false
    /// The generation of the first checkpoint that describes the connection correctly.
    private var generation: Int64 = 0

    /// Begins with a connection that gets a slot in the ledger.
    init(_ rounds: CrashObserver, _ ledger: Ledger?, slot: LedgerSlot) {
        self.rounds = rounds
        self.ledger = ledger
        self.slot = slot
        // The slot may have been used by another connection.
        ledger?.write(0, at: LedgerLayout.reached(of: slot))
        writeMarks()
    }

    /// Sends a message: if this process dies during the send, the ledger says how much of the message the kernel took, and whose
    /// message it is.
    @inline(__always)
    func send(_ message: Span<UInt8>, over socket: borrowing UnixSocket) -> SendOutcome {
        guard let ledger else { return socket.send(message) }
        return send(message, over: socket, notedIn: ledger)
    }

    // A call, so that a broker without a ledger has a short loop over its clients.
    @inline(never)
    private func send(
        _ message: Span<UInt8>, over socket: borrowing UnixSocket, notedIn ledger: Ledger
    ) -> SendOutcome {
        let round = rounds.round
        let outcome = socket.send(message, notedIn: ledger, at: LedgerLayout.note, tag: round.tag(slot: slot))
        if case .sent = outcome, round.number > 0 { ledger.write(round.number, at: LedgerLayout.reached(of: slot)) }
        return outcome
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

    private func writeMarks() { ledger?.write(marks.word(since: generation), at: LedgerLayout.marks(of: slot)) }
}
