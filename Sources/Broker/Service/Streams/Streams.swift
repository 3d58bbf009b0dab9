internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// The clients' streams: how they begin and end, and what they receive besides their readings.
///
/// How they change is in `StreamChanges`. States of resources, and limits that change grants, concern every stream: they are
/// sent to the streams over as many turns of the loop as it takes (`ResourceChanges`), and to each stream before anything else that
/// they concern.
final class Streams {
    let granting: Granting
    /// Those in which resources are aligned to others.
    let alignments: Alignments
    let updates: StreamUpdates
    let changes: StreamChanges
    private let clients: Clients
    private let table = StreamTable()
    /// Streams that have been silent for so long that an empty reply must show that they are alive; thousands may be, one after the
    /// other, so each look is for those of three seconds.
    // While readings flow, each of their turns could find another one due. The pause of six seconds is until a look is due, which may
    // come sooner by the slack of three: so three pass between two looks.
    private let silence = OverdueWatch(
        limitNanoseconds: Limits.heartbeatNanoseconds, slackNanoseconds: Limits.heartbeatSlackNanoseconds,
        mostChecks: 5)
    /// When to record the streams, in case this process dies.
    private let checkpoint: Checkpoint

    init(_ context: ServiceContext) {
        clients = context.clients
        checkpoint = context.checkpoint
        granting = Granting(catalog: context.catalog, quotas: clients.quotas)
        alignments = Alignments(context.catalog, clients.quotas)
        updates = StreamUpdates(granting, table, alignments, clock: context.server.clock)
        changes = StreamChanges(granting, alignments, updates, table, checkpoint)
    }

    private var catalog: Catalog { granting.catalog }

    // MARK: the existing streams

    var all: [Subscription] { table.all }

    subscript(connection: ConnectionToken) -> Subscription? { table[connection] }

    func stream(named id: StreamID) -> Subscription? { table.stream(named: id) }

    /// Whether something is pending for some stream: a state, a grant to be made again, or readings of an alignment.
    var hasPending: Bool { updates.announcements.isPending || changes.arePending || alignments.hasChanges }

    // MARK: how they begin and end

    /// Begins a stream: its first reply, then what is known already, then everything that follows.
    func subscribe(
        _ connection: Connection, _ requests: [Request], to sink: BrokerSink, now: BootTime
    ) throws(VarlinkError) {
        let requests = try Request.linked(requests)
        let resources = try granting.readable(requests, by: connection)
        let labels = try granting.reserveLabels(of: requests, in: nil, for: connection)
        let subscription = Subscription(id: StreamID(), connection: connection, charge: try charge(connection, now))
        insert(subscription, now)
        let parts = granting.reserve(requests, of: resources, labels, in: subscription)
        changes.begin(subscription, with: parts, to: sink, now)
    }

    /// Continues a stream that another process began, if all its resources are here; returns whether it does.
    func takeUp(
        _ stream: HandedStream, on connection: Connection, periods: [ResourceName: Int64], to sink: BrokerSink,
        _ now: BootTime
    ) -> Bool {
        let parts = stream.parts.compactMap { part in
            catalog.index(of: part.request.resource).map {
                Subscription.Part(resource: $0, request: part.request, grant: part.grant)
            }
        }
        guard parts.count == stream.parts.count else { return false }
        let charge = clients.quotas.subscriptions.chargeAgain(1, to: connection.peer.userID)
        let subscription = Subscription(id: stream.id, connection: connection, charge: charge)
        insert(subscription, now)
        let reserved = parts.map { granting.reserveAgain($0, for: connection.peer) }
        _ = subscription.adopt(StreamChange(of: subscription, ending: [], putting: reserved), [:])
        subscription.resume(stream)
        granting.fitSendBuffer(subscription)
        alignments.follow(subscription, now)
        for (part, handed) in zip(subscription.parts, stream.parts) {
            let client = part.client(of: connection)
            let resource = catalog[part.resource]
            let missed = handed.missed(
                until: resource.core.loss?.from, periodNanoseconds: periods[handed.request.resource])
            resource.core.resume(client, part.grant, handed.account, missing: missed)
            guard let missed else { continue }
            sink.sendMissed([missed], nil, of: resource, withSatellites: false, to: client, now: now)
        }
        sink.sendBundles(now)
        return true
    }

    /// From now on the connection carries the stream.
    private func insert(_ subscription: Subscription, _ now: BootTime) {
        changes.insert(subscription)
        subscription.connection.makeBusy()
        silence.begin(since: now, now: now)
    }

    /// Ends a stream with a last message; the client finds it after what it has not read yet.
    func end(_ subscription: Subscription, _ reason: String, to sink: BrokerSink, _ now: BootTime) {
        // The socket may be full: it needs room for the rest of a message, what is pending and the last message.
        subscription.connection.makeRoomForLastMessage()
        _ = subscription.connection.flush(now: now)
        updates.send(to: subscription, now)
        let parts = subscription.parts.map { part in
            (catalog[part.resource], part.client(of: subscription.connection))
        }
        for (resource, client) in parts { resource.sendGaps(to: client, sink, now: now) }
        // Gathered readings are sent last; if the socket is still full, they are one more gap.
        for (resource, client) in parts {
            resource.sendGathered(to: client, sink, now: now)
            resource.sendGaps(to: client, sink, now: now)
        }
        sink.sendBundles(now)
        alignments.sendRest(to: subscription.connection.token, now)
        subscription.connection.reply(now: now) { $0.member("ended", reason) }
        clients.close(subscription.connection)
    }

    func drop(_ subscription: Subscription, to sink: BrokerSink, now: BootTime) {
        changes.remove(subscription, to: sink, now)
        alignments.drop(subscription.connection.token)
    }

    /// Ends the streams of clients that may no longer read all of their resources.
    func endForbidden(to sink: BrokerSink, _ now: BootTime) {
        for subscription in all {
            let rights = catalog.rights(of: subscription.connection)
            if subscription.parts.allSatisfy({ rights.mayRead(catalog[$0.resource].kind) }) { continue }
            end(subscription, "permissionDenied", to: sink, now)
        }
    }

    private func charge(_ connection: Connection, _ now: BootTime) throws(VarlinkError) -> Charge {
        let quota = clients.quotas.subscriptions
        let (user, isTrusted) = (connection.peer.userID, connection.peer.isAdministrator)
        if let charge = quota.charge(1, to: user, isTrusted: isTrusted) { return charge }
        let words =
            "user \(user) has reached its limit of subscriptions: process \(connection.peer.processID) gets none"
        clients.log.write(.subscriptions(user: user), .warning, words, now: now)
        throw .tooManySubscriptions(limit: quota.bound(isTrusted: isTrusted))
    }

    // MARK: what they receive besides readings

    /// The stream's socket has room again: sends what is pending and then, in one message per resource, the gaps and the
    /// newest reading.
    func catchUp(_ subscription: Subscription, to sink: BrokerSink, now: BootTime) {
        let connection = subscription.connection
        updates.send(to: subscription, now)
        alignments.didDrain(connection.token)
        let parts = subscription.parts
        for step in parts.indices {
            let index = (subscription.catchUpFrom + step) % parts.count
            // What is left is sent when the socket has room again, and then goes first.
            guard connection.blockedSince == nil else {
                subscription.catchUpFrom = index
                break
            }
            let part = parts[index]
            catalog[part.resource].catchUp(part.client(of: connection), sink, now: now)
        }
        sink.sendBundles(now)
    }

    /// A resource's state has changed: it is announced to every stream, together with changed grants if the device's
    /// interval has changed.
    func announce(_ index: ResourceIndex, withGrants: Bool, _ now: BootTime) {
        guard !table.isEmpty else { return }
        updates.announcements.add(index, withGrants: withGrants)
        checkpoint.renew(now: now)
    }

    // MARK: signs of life

    /// When to check for silent streams; nil: there are none.
    var silenceDeadline: BootTime? { silence.deadline }

    /// Sends an empty reply to streams that have been silent for long.
    func sendHeartbeats(_ now: BootTime) {
        for subscription in silence.overdue(among: all, now: now, since: { $0.connection.lastSent }) {
            // A client whose socket is full has enough to read.
            if subscription.connection.blockedSince == nil {
                subscription.connection.reply(continues: true, now: now)
            }
            silence.begin(since: now, now: now)
        }
    }
}
