internal import Delivery
internal import Readings

/// What was written while a daemon ran, brought up to the moment in which it died.
extension Handover {
    /// The latest of some texts; what of it no longer holds by the ledger is left out.
    init(latestOf texts: [[UInt8]], _ ledger: [Int64]?) throws(HandoverFault) {
        var latest: Handover?
        for text in texts {
            let handover = try Handover(text)
            if handover.generation >= latest?.generation ?? 0 { latest = handover }
        }
        guard let latest else { throw .missing }
        self = latest
        guard needsLedger else { return }
        guard let ledger, ledger.count == LedgerPlaces.count else { throw .missing }
        connections.removeAll { connection in
            let place = LedgerPlaces.connection(place: connection.place)
            return place >= ledger.count || ledger[place] != 0
        }
        for index in resources.indices { resources[index].advance(to: ledger[LedgerPlaces.resource(index)]) }
    }
}

extension HandedResource {
    /// All clients have had what was due to them up to a later instant.
    fileprivate mutating func advance(to nanoseconds: Int64) {
        let last = BootTime(nanoseconds: nanoseconds)
        guard nanoseconds > 0, interruption.map({ $0.from < last }) ?? true else { return }
        interruption = Interruption(from: last, cause: .reconfigured)
    }
}
