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

    /// Sends a message: if this process dies during the send, the ledger shows how much of the message the kernel took, and whose
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

/// Why another process could not continue a connection if this one died now.
///
/// Without a mark, nothing is pending for the client: no gap, no grant and no part of a message.
struct ConnectionMarks: OptionSet {
    let rawValue: UInt8

    /// A message may be sent in part only, or what the client missed is pending.
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
