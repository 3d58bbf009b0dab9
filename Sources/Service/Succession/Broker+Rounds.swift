internal import Delivery
internal import Platform
internal import Readings

/// Writes to the ledger, with each round, how far clients have been served, in case the process dies.
extension Broker {
    /// Begins a round: before the first client gets a message, the ledger has the instant up to which the round serves.
    func beginRound(_ resource: ServedResource) {
        guard let ledger = server.ledger, let through = resource.servedThrough else { return }
        rounds += 1
        let round = LedgerRound(number: rounds, resource: resource.index)
        // While its words are being written, there is no current round.
        ledger.write(0, at: LedgerPlaces.round)
        ledger.write(through.nanoseconds, at: LedgerPlaces.resource(resource.index, .serving))
        writePace(resource, ledger)
        ledger.write(round.word, at: LedgerPlaces.round)
        server.round = round
    }

    /// Ends a round: all clients of the resource have received what was due.
    func endRound(_ resource: ServedResource) {
        guard let ledger = server.ledger, let through = resource.servedThrough else { return }
        server.round = .none
        writePace(resource, ledger)
        ledger.write(through.nanoseconds, at: LedgerPlaces.resource(resource.index, .served))
    }

    /// The source is silent, and its last sample counts for all that was due up to now, so none of that is due again.
    func serveSilence(of resource: ServedResource, _ now: BootTime) {
        guard resource.core.hasOutgoing() else { return }
        resource.serve(through: now + -((resource.core.pace.periodNanoseconds ?? 0) / 2))
    }

    private func writePace(_ resource: ServedResource, _ ledger: Ledger) {
        guard let grid = resource.core.grid else { return }
        ledger.write(grid.nanoseconds, at: LedgerPlaces.resource(resource.index, .grid))
        ledger.write(resource.core.pace.periodNanoseconds ?? 0, at: LedgerPlaces.resource(resource.index, .period))
    }
}
