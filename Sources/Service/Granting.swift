internal import Admission
internal import Delivery
internal import Platform
internal import Readings

/// Makes grants of requests: as fast as the resource and the client's rights allow, with batches as long as asked for, as far as
/// the user's share of bytes goes.
struct Granting {
    let catalog: Catalog
    let quotas: Quotas

    /// A part of a stream whose batch is reserved for.
    ///
    /// Where the share does not allow it a shorter one is granted, down to none, and told like any other grant.
    func reserve(_ request: Request, of index: Int, for connection: Connection) -> Subscription.Part {
        let kind = catalog.resources[index].core.kind
        let limits = catalog.limits(of: index, for: connection)
        var most = Grant.readingsPerReply
        while true {
            let grant = Grant(request, within: limits, batchOf: most)
            var part = Subscription.Part(resource: index, request: request, grant: grant, batchOf: most)
            let bytes = grant.reservedBytes(of: kind)
            guard bytes > 0 else { return part }
            part.reservation = BatchReservation(connection.charge(bytes, of: quotas.bytes))
            if part.reservation != nil { return part }
            most = grant.batchReadings / 2
        }
    }

    /// The same for a request of a running stream; what is granted already goes on as it is.
    func reserve(_ request: Request, of index: Int, in subscription: Subscription) -> Subscription.Part {
        let wanted = Grant(request, within: catalog.limits(of: index, for: subscription.connection))
        if let former = subscription.part(of: index), former.grant == wanted { return former.asked(request) }
        subscription.giveBack(index)
        return reserve(request, of: index, for: subscription.connection)
    }

    /// Reserves for batches that another process granted: what was granted is not taken back because others have come since.
    func reserveAgain(_ part: inout Subscription.Part, for peer: Peer) {
        let bytes = part.grant.reservedBytes(of: catalog.resources[part.resource].core.kind)
        guard bytes > 0 else { return }
        part.reservation = BatchReservation(
            quotas.bytes.charge(bytes, to: peer.userID, isTrusted: true))
    }

    /// Lets the kernel hold as much of a stream as its grants need.
    func fitSendBuffer(_ subscription: Subscription) {
        let bytes = subscription.parts.reduce(0) { sum, part in
            let resource = catalog.resources[part.resource]
            let interval = part.grant.intervalNanoseconds
            // A tap asks for no pace: it gets the device's, which every change of state or pace may alter.
            let step =
                part.grant.isTap
                ? max(interval, resource.core.deviceIntervalNanoseconds ?? resource.core.limits.minimumNanoseconds)
                : interval
            let readings = min(max(1, part.grant.batchNanoseconds / max(1, step)), Int64(Limits.readingsPerReply))
            return sum
                + SendBuffer.bytes(
                    replyBytes: resource.core.kind.typicalReplyBytes(
                        readings: Int(readings), filter: part.grant.filter,
                        satellites: part.grant.tellsSatellites),
                    everyNanoseconds: max(step, part.grant.batchNanoseconds))
        }
        subscription.connection.reservedUnsentBytes = subscription.parts.reduce(0) {
            $0 + $1.grant.batchReplyBytes(of: catalog.resources[$1.resource].core.kind)
        }
        if bytes > 0 { subscription.connection.setSendBuffer(bytes: bytes + SendBuffer.controlBytes) }
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
