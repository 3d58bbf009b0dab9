internal import Admission
internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// How a daemon leaves its clients to its successor, which continues them with `TakeOver`.
///
/// In an orderly end this happens after the last turn of the loop, when the daemon reads nothing more (`handOver`). In
/// case it dies without warning, it also records, while it runs, what a successor would need (`writeCheckpoint`): only
/// for streams that can continue from that record without a silence. Readings gathered for a batch or waiting to be
/// aligned, and what is known of a call, are lost with the process. A changed request is marked at once and recorded a little later; the effects
/// of every reading are in the ledger. A stream with pending messages is recorded as if they had been sent. It is taken
/// over only if the ledger shows that they were, so nothing is sent twice.
struct Succession {
    private let broker: Broker

    init(of broker: Broker) { self.broker = broker }

    private var catalog: Catalog { broker.catalog }
    private var clients: Clients { broker.server.clients }
    private var checkpoint: Checkpoint { broker.context.checkpoint }
    private var streams: Streams { broker.streams }
    private var releases: DeviceReleases { broker.releases.devices }
    private var sink: BrokerSink { broker.sink }

    // MARK: orderly end

    /// Records all clients, up to a number, and informs the others that the broker stops.
    func handOver(atMost count: Int, now: BootTime) -> (generation: Int64, text: [UInt8], sockets: [Int32]) {
        broker.devices.takeAll(to: sink, now)
        for resource in catalog.resources { resource.sendRest(to: sink, now: now) }
        streams.alignments.sendRest(now)
        sink.sendBundles(now)
        var handover = Handover(catalog.resources, releases.orders)
        handover.generation = checkpoint.generation + 1
        var sockets: [Int32] = []
        let candidates = clients.all.filter { $0.phase != .closing }
        let streaming = candidates.filter { streams[$0.token] != nil }
        let others = candidates.filter { streams[$0.token] == nil }
        for connection in streaming + others {
            guard handover.connections.count < count, let handed = handed(connection) else {
                if let stream = streams[connection.token] { streams.end(stream, "shutdown", to: sink, now) }
                continue
            }
            handover.connections.append(handed)
            if !connection.observer.isKept { sockets.append(connection.socket.number) }
        }
        return (handover.generation, handover.text, sockets)
    }

    // MARK: in case it dies

    /// Records from now on what a successor would need.
    func begin(_ store: CheckpointStore, now: BootTime) {
        checkpoint.begin(in: store)
        guard releases.orders != Releases() || clients.all.contains(where: isLasting) else { return }
        checkpoint.renew(now: now)
    }

    /// Records what is new when it is time.
    func writeCheckpoint(_ now: BootTime) {
        guard let store = checkpoint.store, let due = checkpoint.due, now >= due else { return }
        for resource in catalog.resources { clients.observer.assignSlots(of: resource) }
        var handover = Handover(catalog.resources, releases.orders)
        handover.generation = checkpoint.generation + 1
        handover.needsLedger = true
        var written: [Connection] = []
        var kept = clients.all.count(where: \.observer.isKept)
        for connection in clients.all
        where isLasting(connection) && (connection.observer.isKept || kept < store.capacity) {
            guard let handed = handed(connection)?.caughtUp else { continue }
            handover.connections.append(handed)
            written.append(connection)
            if !connection.observer.isKept { kept += 1 }
        }
        let sockets = written.filter { !$0.observer.isKept }.map { $0.socket.number }
        let changed = written.filter { $0.observer.marks.contains(.outOfDate) }
        // First, so that the text holds as soon as it is in the store. A successor that finds only the former text
        // leaves these out.
        for connection in changed { connection.observer.setUpToDate(in: handover.generation) }
        let isKept = store.keep(handover.generation, handover.text, sockets)
        checkpoint.didTry(connections: written.count, isKept: isKept, now: now)
        guard isKept else { return changed.forEach { $0.observer.mark(.outOfDate) } }
        for connection in written { connection.observer.setKept() }
    }

    private func isLasting(_ connection: Connection) -> Bool {
        guard connection.phase == .busy else { return false }
        guard let subscription = streams[connection.token] else { return broker.list.isWatched(by: connection.token) }
        return subscription.parts.allSatisfy { $0.grant.batchNanoseconds == 0 && !$0.grant.isAligned }
    }

    // MARK: what is recorded of a client

    /// nil for a client with too many unsent or unread bytes.
    private func handed(_ connection: Connection) -> HandedConnection? {
        // No other process could write the rest of a long reply; and a program that provides something provides it again.
        guard connection.longReply == nil, connection.handler.door != .providers else { return nil }
        let unread = connection.input.rest
        guard max(unread.count, connection.unsent.count) <= HandedConnection.bytes else { return nil }
        let cookie = connection.socket.cookie
        guard cookie != 0 else { return nil }
        let task = task(of: connection)
        // Nobody would answer such a call, and the client would take the next answer for that to it.
        if case .none = task, connection.phase == .busy { return nil }
        var handed = HandedConnection(
            cookie: cookie, door: connection.handler.door, serial: connection.serial,
            slot: LedgerSlot(connection.token), connectedSince: connection.since)
        handed.unread = unread
        handed.unsent = connection.unsent
        handed.isBlocked = connection.blockedSince != nil
        handed.task = task
        return handed
    }

    private func task(of connection: Connection) -> HandedConnection.Task {
        if let subscription = streams[connection.token] { return .stream(handed(subscription)) }
        if broker.list.isWatched(by: connection.token) { return .list }
        if let names = releases.waiting(connection.token) { return .release(names) }
        guard let (resource, read) = broker.reads.waiting(connection.token) else { return .none }
        return .read(
            HandedRead(
                resource: resource, since: read.since, deadline: read.deadline, withSatellites: read.withSatellites))
    }

    private func handed(_ subscription: Subscription) -> HandedStream {
        let parts = subscription.parts.map { part in
            let resource = catalog[part.resource]
            // A client that holds a grant is in a lane.
            let client = part.client(of: subscription.connection)
            let account = resource.core.account(of: client)
            var handed = HandedPart(
                part.request, intervalNanoseconds: part.grant.intervalNanoseconds,
                batchNanoseconds: part.grant.batchNanoseconds, account ?? ClientAccount(since: broker.startedAt))
            if part.grant.batchReadings > 0 { handed.batchReadings = part.grant.batchReadings }
            handed.lane = clients.observer.slot(of: client, in: resource)
            handed.isGrantPending = subscription.pending.grants.contains(part.name)
            return handed
        }
        var stream = HandedStream(id: subscription.id, revision: subscription.revision, parts: parts)
        stream.isRevisionPending = subscription.pending.revision
        stream.formerGaps = subscription.pending.gaps.map { HandedGaps(name: $0.name, gaps: $0.gaps) }
        stream.formerlyDelivered = subscription.formerlyDelivered
        stream.formerlyLost = subscription.formerlyLost
        return stream
    }
}
