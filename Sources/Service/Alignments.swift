internal import Delivery
internal import Readings
internal import Varlink

/// The streams in which requests are aligned to others: their readings go through an `Alignment` to the socket.
///
/// For a lane, such a client is like any other: what the lane sends to it is taken here, and counts as delivered. While the
/// client's socket is full, no reading of the lead is taken, so that the lane reports the loss as usual.
final class Alignments {
    private let catalog: Catalog
    private let server: Server
    private var all: [ConnectionToken: [AlignedRequests]] = [:]

    init(_ catalog: Catalog, _ server: Server) {
        self.catalog = catalog
        self.server = server
    }

    /// A stream begins, or its parts have changed; unchanged alignments continue.
    func follow(_ subscription: Subscription, _ now: BootTime) {
        let former = all[subscription.connection.token] ?? []
        let leads = subscription.parts.filter(\.request.leads)
        guard !former.isEmpty || !leads.isEmpty else { return }
        let wanted = leads.map { lead in
            (
                AlignedRequest(lead),
                subscription.parts.filter { $0.request.alignTo == lead.name }.map(AlignedRequest.init)
            )
        }
        let kept = former.filter { one in wanted.contains { $0 == one.lead && $1 == one.companions } }
        for one in former where !kept.contains(where: { $0 === one }) { one.sendRest(now) }
        let added = wanted.filter { lead, _ in !kept.contains { $0.lead == lead } }.map {
            AlignedRequests($0, $1, of: subscription, catalog, server.quotas)
        }
        all[subscription.connection.token] = kept + added
        for one in kept + added { one.learn(subscription) }
    }

    /// A resource runs otherwise now, so its next readings are expected earlier or later.
    func didChangePace(of streams: (ConnectionToken) -> Subscription?) {
        for (token, aligned) in all {
            guard let subscription = streams(token) else { continue }
            for one in aligned { one.learn(subscription) }
        }
    }

    /// A resource was opened again, or is missing: no reading of it is expected, and the next one does not continue the last.
    func interrupt(_ resource: OwnedResource) {
        for aligned in all.values { for one in aligned { one.interrupt(resource.place) } }
    }

    /// The client is gone.
    func drop(_ connection: ConnectionToken) { all[connection] = nil }

    // MARK: what lanes have for a client

    /// Takes a lane's readings and gaps for a client's request; returns whether they count as delivered; nil: the request is not
    /// aligned.
    func take(
        _ readings: ArraySlice<Sample>, _ gaps: [Gap], of resource: OwnedResource, _ request: UInt32,
        for connection: ConnectionToken, _ now: BootTime
    ) -> Bool? {
        guard let aligned = all[connection] else { return nil }
        let request = AlignedRequest(resource: resource.place, number: request)
        return aligned.first { $0.contains(request) }?.take(readings, gaps, of: request, now)
    }

    /// Takes the gaps of a client whose socket was full, and the newest reading; returns whether the request is aligned.
    func takeMissed(
        _ gaps: [Gap], _ newest: Sample?, of resource: OwnedResource, _ request: UInt32,
        for connection: ConnectionToken, _ now: BootTime
    ) -> Bool {
        let request = AlignedRequest(resource: resource.place, number: request)
        guard let aligned = all[connection]?.first(where: { $0.contains(request) }) else { return false }
        aligned.takeMissed(gaps, newest, of: request, now)
        return true
    }

    // MARK: what is sent

    /// The client's socket has room again.
    func send(to connection: ConnectionToken, _ now: BootTime) { all[connection]?.forEach { $0.send(now) } }

    /// Sends all waiting readings with the values that are known, because nothing more will come.
    func sendRest(to connection: ConnectionToken, _ now: BootTime) {
        all[connection]?.forEach { $0.sendRest(now) }
    }

    /// The same for all clients.
    func sendRest(_ now: BootTime) { for aligned in all.values { aligned.forEach { $0.sendRest(now) } } }

    /// When a reading is sent without a companion that has fallen silent; nil: none waits.
    var deadline: BootTime? {
        var earliest: BootTime?
        for aligned in all.values { for one in aligned { earliest = BootTime.earlier(earliest, one.deadline) } }
        return earliest
    }

    /// The deadline has come.
    func expire(_ now: BootTime) { for aligned in all.values { aligned.forEach { $0.send(now) } } }
}

/// One of a stream's requests, by its resource's place and its number.
private struct AlignedRequest: Equatable {
    let resource: Int
    let number: UInt32

    init(resource: Int, number: UInt32) { (self.resource, self.number) = (resource, number) }

    init(_ part: Subscription.Part) { self.init(resource: part.resource, number: part.number) }
}

/// A lead of a stream, and its companions.
private final class AlignedRequests {
    let lead: AlignedRequest
    let companions: [AlignedRequest]
    private let connection: Connection
    private let names: (lead: StreamedName, companions: [StreamedName])
    private var form = (satellites: false, isPacked: false)
    private let catalog: Catalog
    private var alignment: Alignment
    /// How long after a reading of each companion the next one is expected.
    private var reaches: [Int64]
    /// The charge for the readings that wait or are kept; nil: they are few enough for any stream.
    private let charge: Reservation?

    init(
        _ lead: AlignedRequest, _ companions: [AlignedRequest], of subscription: Subscription, _ catalog: Catalog,
        _ quotas: Quotas
    ) {
        let connection = subscription.connection
        let name = { (request: AlignedRequest) in
            StreamedName(
                resource: catalog.resources[request.resource].owned.name, label: connection.label(of: request.number))
        }
        self.lead = lead
        self.companions = companions
        self.catalog = catalog
        self.connection = connection
        names = (name(lead), companions.map(name))
        reaches = companions.map { _ in 0 }
        let kinds = ([lead] + companions).map { catalog.resources[$0.resource].owned.kind }
        // If the user's share of memory does not allow it, half as many, and so on down to what any stream may have.
        var fraction = 1
        var charge: Reservation?
        while charge == nil, fraction < Limits.alignedFraction {
            let bytes = kinds.reduce(0) { $0 + Limits.alignedReadings(of: $1) / fraction * $1.keptBytes() }
            charge = Reservation(connection.charge(bytes, of: quotas.bytes))
            if charge == nil { fraction *= 2 }
        }
        self.charge = charge
        let mosts = kinds.map { Limits.alignedReadings(of: $0) / fraction }
        alignment = Alignment(most: mosts[0], ofCompanions: Array(mosts.dropFirst()))
    }

    /// When a reading is sent without a silent companion; nil: none waits, or nothing can be sent.
    var deadline: BootTime? { canSend ? alignment.deadline : nil }

    private var canSend: Bool { connection.blockedSince == nil && connection.phase != .closing }

    /// Takes what the grants, and the paces of the devices, say now.
    func learn(_ subscription: Subscription) {
        if let grant = part(names.lead, of: subscription)?.grant { form = (grant.tellsSatellites, grant.isPacked) }
        for (place, request) in companions.enumerated() {
            let interval = part(names.companions[place], of: subscription)?.grant.intervalNanoseconds ?? 0
            reaches[place] = catalog.resources[request.resource].owned.core.reachNanoseconds(every: interval)
        }
    }

    private func part(_ name: StreamedName, of subscription: Subscription) -> Subscription.Part? {
        subscription.part(named: name.label ?? name.resource.description)
    }

    func contains(_ request: AlignedRequest) -> Bool { lead == request || companions.contains(request) }

    func interrupt(_ resource: Int) {
        for place in companions.indices where companions[place].resource == resource { alignment.interrupt(place) }
    }

    func take(_ readings: ArraySlice<Sample>, _ gaps: [Gap], of request: AlignedRequest, _ now: BootTime) -> Bool {
        if let place = companions.firstIndex(of: request) {
            takeCompanion(readings, gaps, place, now)
        } else {
            guard canSend else { return false }
            alignment.take(readings)
            for gap in gaps { alignment.take(gap) }
        }
        send(now)
        return true
    }

    func takeMissed(_ gaps: [Gap], _ newest: Sample?, of request: AlignedRequest, _ now: BootTime) {
        if let place = companions.firstIndex(of: request) {
            takeCompanion(newest.map { [$0] } ?? [], gaps, place, now)
        } else {
            for gap in gaps { alignment.take(gap) }
            if let newest { alignment.take([newest]) }
        }
        send(now)
    }

    private func takeCompanion(_ readings: ArraySlice<Sample>, _ gaps: [Gap], _ place: Int, _ now: BootTime) {
        for gap in gaps { alignment.take(gap, of: place) }
        alignment.take(readings, of: place, reachNanoseconds: reaches[place], now: now)
    }

    /// Sends the readings that need not wait any longer, as far as the socket takes them.
    func send(_ now: BootTime) {
        while canSend, let ready = alignment.ready(now: now) {
            guard connection.stream(message(ready).span, now: now) else { return }
            alignment.didSend(ready)
        }
    }

    /// Sends all waiting readings now; what the socket does not take follows when it drains.
    func sendRest(_ now: BootTime) {
        while let ready = alignment.ready(now: now, isLast: true) {
            connection.reply(message(ready), now: now)
            alignment.didSend(ready)
        }
    }

    private func message(_ ready: Alignment.Ready) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginReply()
        writer.aligned(ready, names.lead, names.companions, form)
        writer.endReply(continues: true)
        return writer.bytes
    }
}
