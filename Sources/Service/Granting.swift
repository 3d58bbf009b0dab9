internal import Admission
internal import Delivery
internal import Platform
internal import Readings

/// Turns requests into grants: as fast as the resource and the client's rights allow, with batches as long as asked
/// for, as far as the user's share of bytes allows.
struct Granting {
    let catalog: Catalog
    let quotas: Quotas

    /// A part of a stream, with memory reserved for its batch.
    ///
    /// If the user's share does not allow the batch, a shorter one is granted, or none, and announced like any other
    /// grant.
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

    /// The same for a request of a running stream; an unchanged grant goes on as it is.
    func reserve(_ request: Request, of index: Int, in subscription: Subscription) -> Subscription.Part {
        let wanted = Grant(request, within: catalog.limits(of: index, for: subscription.connection))
        if let former = subscription.part(of: index), former.grant == wanted { return former.asked(request) }
        subscription.giveBack(index)
        return reserve(request, of: index, for: subscription.connection)
    }

    /// Reserves for batches that another process granted: a grant is not taken back because others have come since.
    func reserveAgain(_ part: inout Subscription.Part, for peer: Peer) {
        let bytes = part.grant.reservedBytes(of: catalog.resources[part.resource].core.kind)
        guard bytes > 0 else { return }
        part.reservation = BatchReservation(
            quotas.bytes.charge(bytes, to: peer.userID, isTrusted: true))
    }

    /// Lets the kernel hold as much of a stream as its grants need.
    func fitSendBuffer(_ subscription: Subscription) {
        let bytes = subscription.parts.reduce(0) { $0 + sendBufferBytes($1, of: subscription) }
        subscription.connection.reservedUnsentBytes = subscription.parts.reduce(0) {
            $0 + $1.grant.batchReplyBytes(of: catalog.resources[$1.resource].core.kind)
        }
        if bytes > 0 { subscription.connection.setSendBuffer(bytes: bytes + SendBuffer.controlBytes) }
    }

    private func sendBufferBytes(_ part: Subscription.Part, of subscription: Subscription) -> Int {
        // Readings that are aligned to others go out with those, which wait for them.
        guard part.request.alignTo == nil else { return 0 }
        let companions = subscription.parts.filter { $0.request.alignTo == part.request.resource }
        let step = step(of: part)
        let span = companions.reduce(part.grant.batchNanoseconds) { max($0, self.step(of: $1)) }
        let readings = Int(min(max(1, span / max(1, step)), Int64(Limits.readingsPerReply)))
        let ownBytes = catalog.resources[part.resource].core.kind.typicalReplyBytes(
            readings: readings, filter: part.grant.filter, satellites: part.grant.tellsSatellites)
        let replyBytes = companions.reduce(ownBytes) {
            // What is interpolated has all the digits of a number, as a mean has.
            $0
                + catalog.resources[$1.resource].core.kind.typicalReplyBytes(
                    readings: readings, filter: .mean, satellites: false)
        }
        return SendBuffer.bytes(replyBytes: replyBytes, everyNanoseconds: max(step, span))
    }

    /// From one reading to the next.
    private func step(of part: Subscription.Part) -> Int64 {
        let (interval, resource) = (part.grant.intervalNanoseconds, catalog.resources[part.resource])
        // A tap does not ask for a pace: it gets the device's, which any change of state or pace may alter.
        guard part.grant.isTap else { return interval }
        return max(interval, resource.core.deviceIntervalNanoseconds ?? resource.core.limits.minimumNanoseconds)
    }
}

/// The memory that a stream's batch, and the message that carries it, may use: a part of its user's share of bytes.
///
/// All of it is reserved when the batch is granted, so that gathering charges nothing. It is given back when the last
/// copy of the stream's part is destroyed.
final class BatchReservation {
    private let charge: Charge

    /// nil without a charge: the user's share does not allow it.
    init?(_ charge: consuming Charge?) {
        guard let charge else { return nil }
        self.charge = charge
    }
}
