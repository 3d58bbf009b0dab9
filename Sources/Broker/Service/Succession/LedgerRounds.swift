internal import Delivery
internal import Platform
internal import Readings

/// Writes to the ledger, with each round, how far clients have been served, in case the process dies.
///
/// The next due time is written, not worked out from the last sample: it depends on the device's period at the time,
/// and on what was held back and sent since the source fell silent.
final class LedgerRounds {
    private let clients: Clients
    /// The number of the last round.
    private var rounds: Int64 = 0

    init(_ clients: Clients) { self.clients = clients }

    /// Begins a round: before the first client gets a message, the ledger holds the last sample that the round serves.
    func begin(_ resource: OwnedResource) {
        guard let ledger = clients.ledger, let last = resource.lastSample else { return }
        rounds += 1
        let round = LedgerRound(number: rounds, resource: resource.index)
        // While its words are being written, there is no current round.
        ledger.write(0, at: LedgerLayout.round)
        ledger.write(last.nanoseconds, at: LedgerLayout.resource(resource.index, .serving))
        writePace(resource, ledger)
        ledger.write(round.word, at: LedgerLayout.round)
        clients.round = round
    }

    /// Ends a round: all clients of the resource have received what was due.
    func end(_ resource: OwnedResource) {
        guard let ledger = clients.ledger, let last = resource.lastSample else { return }
        clients.round = .none
        writePace(resource, ledger)
        ledger.write(last.nanoseconds, at: LedgerLayout.resource(resource.index, .served))
    }

    /// Before the members of a lane get their messages in a round: records when its next reading will be due.
    func beginLane(_ slot: LedgerSlot?, nextDue: BootTime?, _ resource: ResourceIndex) {
        clients.ledger?.write(nextDue?.nanoseconds ?? 0, at: LedgerLayout.lane(slot, of: resource, .nextDue))
    }

    /// All members of a lane have been reached, so the same holds for each of them.
    func endLane(_ slot: LedgerSlot?, nextDue: BootTime?, _ resource: ResourceIndex) {
        clients.ledger?.write(nextDue?.nanoseconds ?? 0, at: LedgerLayout.lane(slot, of: resource, .formerDue))
    }

    /// Records when the next reading of each lane is due: the ledger may not say so yet, or may say so of another lane.
    func writeDueTimes(of resource: OwnedResource) {
        for index in resource.core.lanes.laneIndices {
            let (slot, nextDue) = (resource.core.lanes[index].slot, resource.core.nextDue(ofLane: index))
            beginLane(slot, nextDue: nextDue, resource.index)
            endLane(slot, nextDue: nextDue, resource.index)
        }
    }

    /// The ledger's slot for the lane of a client.
    func slot(of client: Client, in resource: OwnedResource) -> LedgerSlot? {
        guard let index = resource.core.position(of: client)?.lane else { return nil }
        return resource.core.lanes[index].slot.flatMap { $0.number < LedgerLayout.lanes ? $0 : nil }
    }

    private func writePace(_ resource: OwnedResource, _ ledger: Ledger) {
        guard let grid = resource.core.grid else { return }
        ledger.write(grid.nanoseconds, at: LedgerLayout.resource(resource.index, .grid))
        ledger.write(resource.core.pace.periodNanoseconds ?? 0, at: LedgerLayout.resource(resource.index, .period))
    }
}
