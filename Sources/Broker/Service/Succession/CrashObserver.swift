internal import Delivery
public import Platform
internal import Readings

/// Sees what clients are sent, and writes to the ledger how far they have been served, in case the process dies.
///
/// Delivery reports when a round begins and ends, and sends each lane's message through here; each connection has a
/// `ConnectionObserver`. The next due time is written, not worked out from the last sample: it depends on the device's period at
/// the time, and on what was held back and sent since the source fell silent.
public final class CrashObserver {
    /// Where it writes; nil: nobody would read it.
    private var ledger: Ledger?
    /// The current round, as it stands in the ledger.
    private(set) var round = LedgerRound.none
    /// The number of the last round.
    private var rounds: Int64 = 0
    private var slots = LaneSlots()
    /// Whether the due times of the resource of the current round are of use to another process.
    private var continues = false

    /// Writes to a ledger from now on; there must be no clients yet.
    public func begin(in ledger: Ledger?) { self.ledger = ledger }

    func observe(_ token: ConnectionToken) -> ConnectionObserver {
        ConnectionObserver(self, ledger, slot: LedgerSlot(token))
    }

    /// Begins a round: before the first client gets a message, the ledger holds the last sample that the round serves.
    func willSend(from resource: OwnedResource) {
        guard let ledger, let last = resource.lastSample else { return }
        rounds += 1
        let round = LedgerRound(number: rounds, resource: resource.index)
        // While its words are being written, there is no current round.
        ledger.write(0, at: LedgerLayout.round)
        ledger.write(last.nanoseconds, at: LedgerLayout.resource(resource.index, .serving))
        writePace(resource, ledger)
        ledger.write(round.word, at: LedgerLayout.round)
        self.round = round
        continues = resource.core.grid != nil
    }

    /// Ends a round: all clients of the resource have received what was due.
    func didSend(from resource: OwnedResource) {
        guard let ledger, let last = resource.lastSample else { return }
        round = .none
        writePace(resource, ledger)
        ledger.write(last.nanoseconds, at: LedgerLayout.resource(resource.index, .served))
    }

    /// Sends a lane's message to its members: records before when its next reading will be due, and after that it is due then to
    /// each of them.
    func send(_ message: LaneMessage, of resource: OwnedResource, _ send: () -> Void) {
        guard ledger != nil, round.resource == resource.index, round != .none,
            let slot = slots[message.lane, of: resource.index]
        else { return send() }
        let nextDue = continues ? message.nextDue : nil
        write(.nextDue, nextDue, slot)
        send()
        write(.formerDue, nextDue, slot)
    }

    /// Gives the lanes of a resource slots, and records when the next reading of each is due.
    func assignSlots(of resource: OwnedResource) {
        let lanes = resource.core.lanes.lazy.filter { !$0.isGathering && $0.grant.isShared }.map(\.number)
        slots.assign(to: Array(lanes), of: resource.index)
        writeDueTimes(of: resource)
    }

    /// Records when the next reading of each lane is due: the ledger may not have that yet, or may have it of another lane.
    func writeDueTimes(of resource: OwnedResource) {
        guard ledger != nil, slots.has(resource.index) else { return }
        for index in resource.core.lanes.laneIndices {
            guard let slot = slots[resource.core.lanes[index].number, of: resource.index] else { continue }
            let nextDue = resource.core.nextDue(ofLane: index)
            write(.nextDue, nextDue, slot)
            write(.formerDue, nextDue, slot)
        }
    }

    func slot(of client: Client, in resource: OwnedResource) -> LedgerSlot? {
        guard let index = resource.core.lanes.position(of: client)?.lane else { return nil }
        return slots[resource.core.lanes[index].number, of: resource.index]
    }

    private func write(_ word: LedgerLayout.OfLane, _ due: BootTime?, _ slot: LedgerSlot) {
        ledger?.write(due?.nanoseconds ?? 0, at: LedgerLayout.lane(slot, word))
    }

    private func writePace(_ resource: OwnedResource, _ ledger: Ledger) {
        guard let grid = resource.core.grid else { return }
        ledger.write(grid.nanoseconds, at: LedgerLayout.resource(resource.index, .grid))
        ledger.write(resource.core.pace.periodNanoseconds ?? 0, at: LedgerLayout.resource(resource.index, .period))
    }
}
