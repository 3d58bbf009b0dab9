internal import Delivery
internal import Platform
internal import Readings

/// A handover recorded while a daemon ran, brought up to the moment of its death.
///
/// The text describes the state at the time of writing. The ledger shows for which connections the text is still
/// correct, and how far they have been served since.
extension Handover {
    /// The latest of some texts, without the parts that no longer hold by the ledger.
    init(latestOf texts: [[UInt8]], _ ledger: [Int64]?) throws(HandoverFault) {
        var latest: Handover?
        for text in texts {
            let handover = try Handover(text)
            if handover.generation >= latest?.generation ?? 0 { latest = handover }
        }
        guard let latest else { throw .missing }
        self = latest
        guard needsLedger else { return }
        guard let ledger, ledger.count == LedgerLayout.count else { throw .missing }
        let round = LedgerRound(word: ledger[LedgerLayout.round])
        let note = Ledger.Note(ledger, at: LedgerLayout.note)
        connections.removeAll { connection in
            // The rest of a message that the kernel took in part is lost.
            let isTorn = note.map { $0.taken > 0 && $0.taken < $0.length && $0.isOf(connection.slot) } ?? false
            return isTorn || !ConnectionMarks.isCurrent(generation, connection.slot, ledger)
        }
        let reached = Set(
            connections.map(\.slot).filter { slot in
                ledger[LedgerLayout.reached(of: slot)] == round.number
                    || note.map { $0.tag == round.tag(slot: slot) && $0.taken > 0 } ?? false
            })
        for index in resources.indices { advance(ResourceIndex(index), ledger, round, reached) }
    }

    /// Brings a resource, and what its clients have received of it, up to date with the ledger.
    private mutating func advance(
        _ index: ResourceIndex, _ ledger: [Int64], _ round: LedgerRound, _ reached: Set<LedgerSlot>
    ) {
        let former = resources[index.number].interruption?.from
        resources[index.number].advance(
            to: ledger[LedgerLayout.resource(index, .served)], grid: ledger[LedgerLayout.resource(index, .grid)],
            period: ledger[LedgerLayout.resource(index, .period)])
        let served = resources[index.number].interruption?.from
        let isCurrent = round.number > 0 && round.resource == index
        if isCurrent {
            resources[index.number].advance(to: ledger[LedgerLayout.resource(index, .serving)], grid: 0, period: 0)
        }
        guard let from = resources[index.number].interruption?.from else { return }
        let hasYielded = from > former ?? BootTime(nanoseconds: 0)
        for number in connections.indices {
            let isReached = !isCurrent || reached.contains(connections[number].slot)
            connections[number].updateParts(of: resources[index.number].name) { part in
                if hasYielded { part.account.witness(from) }
                part.account.nextDue = Self.due(part.lane, .nextDue, ledger)
                guard !isReached else { return }
                part.servedUntil = served ?? part.account.since
                part.formerDue = Self.due(part.lane, .formerDue, ledger)
            }
        }
    }

    private static func due(_ lane: LedgerSlot?, _ word: LedgerLayout.OfLane, _ ledger: [Int64]) -> BootTime? {
        let index = LedgerLayout.lane(lane, word)
        return index < ledger.count && ledger[index] > 0 ? BootTime(nanoseconds: ledger[index]) : nil
    }
}

extension HandedResource {
    /// All clients have received everything that was due up to a later instant.
    fileprivate mutating func advance(to nanoseconds: Int64, grid: Int64, period: Int64) {
        let last = BootTime(nanoseconds: nanoseconds)
        guard nanoseconds > 0, interruption.map({ $0.from < last }) ?? true else { return }
        interruption = Interruption(from: last, cause: .restarted)
        if grid > 0 { self.grid = BootTime(nanoseconds: grid) }
        if period > 0 { periodNanoseconds = period }
    }
}

extension Ledger.Note {
    /// Whether the message was for the connection in a slot.
    fileprivate func isOf(_ slot: LedgerSlot) -> Bool { tag & 0xffff == LedgerRound.none.tag(slot: slot) }
}
