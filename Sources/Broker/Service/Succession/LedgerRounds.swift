internal import Delivery
internal import Platform
internal import Readings

/// Writes to the ledger, with each round, how far clients have been served, in case the process dies.
///
/// The next due time is written, not worked out from the last sample: it depends on the device's period at the time,
/// and on what was held back and sent since the source fell silent.
final class LedgerRounds {
    private let server: Server
    /// The number of the last round.
    private var rounds: Int64 = 0

    init(_ server: Server) { self.server = server }

    /// Begins a round: before the first client gets a message, the ledger holds the last sample that the round serves.
    func begin(_ resource: OwnedResource) {
        guard let ledger = server.ledger, let last = resource.lastSample else { return }
        rounds += 1
        let round = LedgerRound(number: rounds, resource: resource.place)
        // While its words are being written, there is no current round.
        ledger.write(0, at: LedgerPlaces.round)
        ledger.write(last.nanoseconds, at: LedgerPlaces.resource(resource.place, .serving))
        writePace(resource, ledger)
        ledger.write(round.word, at: LedgerPlaces.round)
        server.round = round
    }

    /// Ends a round: all clients of the resource have received what was due.
    func end(_ resource: OwnedResource) {
        guard let ledger = server.ledger, let last = resource.lastSample else { return }
        server.round = .none
        writePace(resource, ledger)
        ledger.write(last.nanoseconds, at: LedgerPlaces.resource(resource.place, .served))
    }

    /// Before the members of a lane get their messages in a round: records when its next reading will be due.
    func beginLane(_ place: Int?, nextDue: BootTime?, _ resource: Int) {
        server.ledger?.write(nextDue?.nanoseconds ?? 0, at: LedgerPlaces.lane(place, of: resource, .nextDue))
    }

    /// All members of a lane have been reached, so the same holds for each of them.
    func endLane(_ place: Int?, nextDue: BootTime?, _ resource: Int) {
        server.ledger?.write(nextDue?.nanoseconds ?? 0, at: LedgerPlaces.lane(place, of: resource, .formerDue))
    }

    /// Records when the next reading of each lane is due: the ledger may not say so yet, or may say so of another lane.
    func writeDueTimes(of resource: OwnedResource) {
        for index in resource.core.lanes.indices {
            let (place, nextDue) = (resource.core.lanes[index].place, resource.core.nextDue(ofLane: index))
            beginLane(place, nextDue: nextDue, resource.place)
            endLane(place, nextDue: nextDue, resource.place)
        }
    }

    /// The ledger's place for the lane of a client.
    func place(of client: Client, in resource: OwnedResource) -> Int? {
        guard let index = resource.core.place(of: client)?.lane else { return nil }
        return resource.core.lanes[index].place.flatMap { $0 < LedgerPlaces.lanes ? $0 : nil }
    }

    private func writePace(_ resource: OwnedResource, _ ledger: Ledger) {
        guard let grid = resource.core.grid else { return }
        ledger.write(grid.nanoseconds, at: LedgerPlaces.resource(resource.place, .grid))
        ledger.write(resource.core.pace.periodNanoseconds ?? 0, at: LedgerPlaces.resource(resource.place, .period))
    }
}
