internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// Turns requests into grants: as fast as the resource and the client's rights allow, with batches as long as asked
/// for, as far as the user's share of bytes allows.
struct Granting {
    let catalog: Catalog
    let quotas: Quotas

    /// The requested resources, by the rights of the stream's owner, whoever makes the request.
    func readable(_ requests: [Request], by connection: Connection) throws(VarlinkError) -> [ResourceIndex] {
        try requests.map { (request) throws(VarlinkError) in
            try catalog.readable(request.resource.description, by: connection)
        }
    }

    /// The parts of a stream for such requests, each with memory reserved for its batch.
    func reserve(
        _ requests: [Request], of resources: [ResourceIndex], _ labels: [Reservation?], in stream: Subscription
    ) -> [Subscription.Part] {
        zip(zip(requests, resources), labels).map { reserve($0.0, of: $0.1, in: stream).labelled($1) }
    }

    /// A part of a stream, with memory reserved for its batch.
    ///
    /// If the user's share does not allow the batch, a shorter one is granted, or none, and announced like any other
    /// grant.
    func reserve(_ request: Request, of index: ResourceIndex, for connection: Connection) -> Subscription.Part {
        let kind = catalog[index].core.kind
        let limits = catalog.limits(of: index, for: connection)
        var most = Grant.readingsPerReply
        while true {
            let grant = Grant(request, within: limits, batchOf: most)
            var part = Subscription.Part(resource: index, request: request, grant: grant, batchOf: most)
            let bytes = grant.reservedBytes(of: kind)
            guard bytes > 0 else { return part }
            part.reservation = Reservation(connection.charge(bytes, of: quotas.bytes))
            if part.reservation != nil { return part }
            most = grant.batchReadings / 2
        }
    }

    /// The same for a request that a stream may have already; an unchanged grant goes on as it is.
    private func reserve(
        _ request: Request, of index: ResourceIndex, in subscription: Subscription
    ) -> Subscription.Part {
        let wanted = Grant(request, within: catalog.limits(of: index, for: subscription.connection))
        if let former = subscription.part(named: request.name), former.resource == index, former.grant == wanted {
            return former.asked(request)
        }
        subscription.giveBack(request.name)
        return reserve(request, of: index, for: subscription.connection)
    }

    /// Reserves for the labels of requests, unless they are those of a running stream already; what parts that end have
    /// reserved comes first.
    func reserveLabels(
        of requests: [Request], in subscription: Subscription?, ending: [Subscription.Part] = [],
        for connection: Connection
    ) throws(VarlinkError) -> [Reservation?] {
        var freed = ending.compactMap(\.labelled)
        return try requests.map { (request) throws(VarlinkError) in
            guard request.label != nil else { return nil }
            if let former = subscription?.part(named: request.name)?.labelled ?? freed.popLast() { return former }
            guard let reservation = Reservation(connection.charge(1, of: quotas.labels)) else {
                throw .tooManyRequests(limit: quotas.labels.bound(isTrusted: connection.peer.isAdministrator))
            }
            return reservation
        }
    }

    /// Reserves for what another process granted: a grant is not taken back because others have come since.
    func reserveAgain(_ part: Subscription.Part, for peer: Peer) -> Subscription.Part {
        var part = part
        if part.request.label != nil { part.labelled = Reservation(quotas.labels.chargeAgain(1, to: peer.userID)) }
        let bytes = part.grant.reservedBytes(of: catalog[part.resource].core.kind)
        if bytes > 0 { part.reservation = Reservation(quotas.bytes.chargeAgain(bytes, to: peer.userID)) }
        return part
    }

    /// Lets the kernel hold as much of a stream as its grants need.
    func fitSendBuffer(_ subscription: Subscription) {
        let bytes = messages(of: subscription).reduce(0) { $0 + $1.bytesToHold }
        let batchBytes = subscription.parts.reduce(0) {
            $0 + $1.grant.batchReplyBytes(of: catalog[$1.resource].core.kind)
        }
        subscription.connection.setSendBuffer(
            bytes: bytes > 0 ? bytes + SendBuffer.controlBytes : 0, reservedUnsentBytes: batchBytes)
    }

    /// How long a stream takes to send what the kernel now holds for it, at the pace of its grants; 0: it carries no readings.
    func span(ofUnread bytes: Int, of subscription: Subscription) -> Int64 {
        let bytesPerNanosecond = messages(of: subscription).reduce(0) { $0 + $1.bytesPerNanosecond }
        return bytesPerNanosecond > 0 ? Int64(clamping: Double(bytes) / bytesPerNanosecond) : 0
    }

    /// The messages with readings of each part of a stream; those that are aligned to others go out with those, which wait.
    private func messages(of subscription: Subscription) -> [SendBuffer.Messages] {
        let companions = subscription.companions
        return subscription.parts.filter { $0.request.alignTo == nil }
            .map { messages(of: $0, companions[$0.name] ?? []) }
    }

    private func messages(of part: Subscription.Part, _ companions: [Subscription.Part]) -> SendBuffer.Messages {
        let step = step(of: part)
        let span = companions.reduce(part.grant.batchNanoseconds) { max($0, self.step(of: $1)) }
        let readings = Int(min(max(1, span / max(1, step)), Int64(Limits.readingsPerReply)))
        let ownBytes = catalog[part.resource].core.kind.typicalReplyBytes(
            readings: readings, filter: part.grant.filter, satellites: part.grant.hasSatellites)
        let replyBytes = companions.reduce(ownBytes) {
            // What is interpolated has all the digits of a number, as a mean has.
            $0
                + catalog[$1.resource].core.kind.typicalReplyBytes(
                    readings: readings, filter: .mean, satellites: false)
        }
        return SendBuffer.Messages(replyBytes: replyBytes, everyNanoseconds: max(step, span))
    }

    /// From one reading to the next.
    private func step(of part: Subscription.Part) -> Int64 {
        let (interval, resource) = (part.grant.intervalNanoseconds, catalog[part.resource])
        // A tap does not ask for a pace: it gets the device's, which any change of state or pace may alter.
        guard part.grant.isTap else { return interval }
        return max(interval, resource.core.deviceIntervalNanoseconds ?? resource.core.limits.minimumNanoseconds)
    }
}

/// What a part of a stream has of its user's share, such as the memory for its batch and for the message that carries it.
///
/// All of it is reserved when the part is granted, so that gathering charges nothing. It is given back when the last
/// copy of the part is destroyed.
final class Reservation {
    private let charge: Charge

    /// nil without a charge: the user's share does not allow it.
    init?(_ charge: consuming Charge?) {
        guard let charge else { return nil }
        self.charge = charge
    }
}
