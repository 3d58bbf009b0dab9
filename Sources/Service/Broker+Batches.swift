internal import Admission
internal import Delivery
internal import Platform
internal import Readings

/// How batches are granted: as long as asked for, as far as the user's share of bytes goes.
extension Broker {
    /// A part of a stream whose batch is reserved for.
    ///
    /// Where the share does not allow it a shorter one is granted, down to none, and told like any other grant.
    func reserve(_ request: Request, of index: Int, for connection: Connection) -> Subscription.Part {
        let kind = resources[index].core.kind
        let limits = limits(of: index, for: connection)
        var most = Grant.readingsPerReply
        while true {
            let grant = Grant(request, within: limits, batchOf: most)
            var part = Subscription.Part(resource: index, request: request, grant: grant, batchOf: most)
            let bytes = grant.reservedBytes(of: kind)
            guard bytes > 0 else { return part }
            part.reservation = BatchReservation(connection.charge(bytes, of: server.quotas.bytes))
            if part.reservation != nil { return part }
            most = grant.batchReadings / 2
        }
    }

    /// The same for a request of a running stream; what is granted already goes on as it is.
    func reserve(_ request: Request, of index: Int, in subscription: Subscription) -> Subscription.Part {
        let wanted = Grant(request, within: limits(of: index, for: subscription.connection))
        if let former = subscription.part(of: index), former.grant == wanted { return former.asked(request) }
        subscription.giveBack(index)
        return reserve(request, of: index, for: subscription.connection)
    }

    /// Reserves for batches that another process granted: what was granted is not taken back because others have come since.
    func reserveAgain(_ part: inout Subscription.Part, for peer: Peer) {
        let bytes = part.grant.reservedBytes(of: resources[part.resource].core.kind)
        guard bytes > 0 else { return }
        part.reservation = BatchReservation(
            server.quotas.bytes.charge(bytes, to: peer.userID, isTrusted: true))
    }

    /// The limits of a resource for who may read no faster than some.
    func limits(of index: Int, for connection: Connection) -> IntervalLimits {
        resources[index].core.limits.raised(to: rights(of: connection).shortestNanoseconds)
    }
}

/// What a stream's batch may keep in memory, and of a message in which it goes out: so much of its user's share of bytes.
///
/// All of it is taken when the batch is granted, so that gathering charges nothing. It is given back when the last copy of the
/// part of a stream goes that holds it.
final class BatchReservation {
    private let charge: Charge

    /// nil without a charge: the share does not allow it.
    init?(_ charge: consuming Charge?) {
        guard let charge else { return nil }
        self.charge = charge
    }
}
