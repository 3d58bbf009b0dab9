internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// The clients' streams: how they begin, change and end, and what they receive besides their readings.
///
/// States of resources, and limits that change grants, concern every stream: they are sent to the streams over as many
/// turns of the loop as it takes (`StreamNews`), and to each stream before anything else that they concern.
final class Streams {
    let granting: Granting
    private let catalog: Catalog
    private let server: Server
    /// By the token of their connection.
    private var subscriptions: [ConnectionToken: Subscription] = [:]
    /// Resources with changed limits, whose grants may have to be made again.
    private let regrants = StreamNews()
    private let lanes: StreamLanes
    private let debts: StreamDebts
    /// Streams that have been silent for so long that an empty reply must show that they are alive.
    private var silence = OverdueWatch(limitNanoseconds: Limits.heartbeatNanoseconds)
    /// When to record the streams, in case this process dies.
    private let checkpoint: Checkpoint
    /// Those in which resources are aligned to others.
    let alignments: Alignments

    init(_ catalog: Catalog, _ server: Server, _ checkpoint: Checkpoint, _ alignments: Alignments) {
        (self.catalog, self.server, self.checkpoint, self.alignments) = (catalog, server, checkpoint, alignments)
        granting = Granting(catalog: catalog, quotas: server.quotas)
        lanes = StreamLanes(catalog: catalog)
        debts = StreamDebts(catalog, granting)
    }

    // MARK: the existing streams

    /// All of them.
    var all: [Subscription] { Array(subscriptions.values) }

    var areAny: Bool { !subscriptions.isEmpty }

    /// The stream that a connection carries; nil: it carries none.
    subscript(connection: ConnectionToken) -> Subscription? { subscriptions[connection] }

    /// The stream with a name; nil: there is none.
    func stream(named id: String) -> Subscription? { subscriptions.values.first { $0.id == id } }

    /// Whether there is news that some stream has not received, or that may change some grant.
    var hasNews: Bool { debts.announcements.isPending || regrants.isPending }

    // MARK: how they begin, change and end

    /// Begins a stream: its first reply, then what is known already, then everything that follows.
    func subscribe(
        _ connection: Connection, _ requests: [Request], to sink: BrokerSink, now: BootTime
    ) throws(VarlinkError) {
        let requests = try Request.linked(requests)
        let wanted = try readable(requests, by: connection)
        let labels = try granting.reserveLabels(of: requests, in: nil, for: connection)
        let charge = try charge(connection, now)
        var parts = zip(requests, wanted).map { granting.reserve($0, of: $1, for: connection) }
        for index in parts.indices { parts[index].labelled = labels[index] }
        let subscription = Subscription(id: Subscription.makeID(), connection: connection, charge: charge, parts: parts)
        insert(subscription, now)
        alignments.follow(subscription, now)
        connection.reply(debts.firstReply(subscription), now: now)
        for part in subscription.parts { lanes.join(subscription, part, inheriting: nil, sink, now) }
        lanes.settle(subscription.parts, sink, now)
        sink.sendBundles(now)
        renewRecord(of: connection, now: now)
    }

    /// Continues a stream that another process began, if all its resources are here; returns whether it does.
    func takeUp(
        _ stream: HandedStream, on connection: Connection, periods: [ResourceName: Int64], to sink: BrokerSink,
        _ now: BootTime
    ) -> Bool {
        guard stream.parts.allSatisfy({ catalog.index(of: $0.request.resource) != nil }) else { return false }
        // A grant is not taken back because others have come since.
        let quota = server.quotas.subscriptions
        guard let charge = quota.charge(1, to: connection.peer.userID, isTrusted: true) else { return false }
        let subscription = Subscription(
            stream, connection: connection, charge: charge, index: { catalog.index(of: $0) },
            reserve: { granting.reserveAgain(&$0, for: connection.peer) })
        insert(subscription, now)
        alignments.follow(subscription, now)
        for (part, handed) in zip(subscription.parts, stream.parts) {
            let client = part.client(of: connection)
            let resource = catalog[part.resource]
            let missed = resource.core.resume(
                client, part.grant, handed.account, periodNanoseconds: periods[handed.request.resource])
            guard let missed else { continue }
            sink.tell([missed], nil, of: resource.owned, tellsSatellites: false, to: client, now: now)
        }
        sink.sendBundles(now)
        return true
    }

    /// From now on the connection carries the stream.
    private func insert(_ subscription: Subscription, _ now: BootTime) {
        assert(subscriptions[subscription.connection.token] == nil, "a connection carries one stream")
        subscription.begin(announced: debts.announcements.newest, regranted: regrants.newest)
        subscriptions[subscription.connection.token] = subscription
        subscription.connection.makeBusy()
        granting.fitSendBuffer(subscription)
        silence.begin(since: now, now: now)
    }

    /// Changes a running stream: either completely or not at all.
    func modify(
        _ subscription: Subscription, _ requests: [Request], remove names: [String], to sink: BrokerSink, now: BootTime
    ) throws(VarlinkError) {
        let removed = try names.map { (name) throws(VarlinkError) in try part(of: subscription, named: name) }
        let gone = Set(names)
        let requests = try linked(requests, in: subscription, without: gone)
        let wanted = try readable(requests, by: subscription.connection)
        // A request may be changed only once in a call, and its readings must be counted only once.
        guard gone.count == names.count, !requests.contains(where: { gone.contains($0.name) }) else {
            throw .invalidParameter("remove")
        }
        try checkRoom(for: requests, in: subscription, without: removed.count)
        let labels = try granting.reserveLabels(of: requests, in: subscription, for: subscription.connection)
        renewRecord(of: subscription.connection, now: now)
        for name in names { subscription.giveBack(name) }
        var parts = zip(requests, wanted).map { granting.reserve($0, of: $1, in: subscription) }
        for index in parts.indices { parts[index].labelled = labels[index] }
        // An unchanged grant goes on as it is.
        let changed = parts.filter { part in
            let former = subscription.part(named: part.name)
            return former?.resource != part.resource || former?.grant != part.grant
        }
        let former = changed.compactMap { subscription.part(named: $0.name) }
        // A label that is given to another resource's request ends the one that it belonged to.
        let moved = zip(former, changed.filter { subscription.part(named: $0.name) != nil }).filter {
            $0.resource != $1.resource
        }.map(\.0)
        var accounts = lanes.leave(subscription, removed + former, sink, now)
        subscription.remove((removed + moved).map { ($0, accounts.removeValue(forKey: $0.name)) })
        accounts = subscription.keepGaps(of: former, accounts)
        for part in parts { subscription.put(part) }
        alignments.follow(subscription, now)
        subscription.didModify()
        subscription.oweGrants(requests.filter { $0.label != nil }.map(\.name))
        granting.fitSendBuffer(subscription)
        debts.tell(subscription, now)
        for part in changed.compactMap({ subscription.part(named: $0.name) }) {
            lanes.join(subscription, part, inheriting: accounts[part.name], sink, now)
        }
        lanes.settle(removed + former + changed, sink, now)
        sink.sendBundles(now)
    }

    /// Refuses requests beyond those that a stream may have, or of whose losses it may still have to be told.
    private func checkRoom(
        for requests: [Request], in subscription: Subscription, without removed: Int
    ) throws(VarlinkError) {
        let added = requests.count { subscription.part(named: $0.name) == nil }
        let count = subscription.parts.count - removed + subscription.untoldCount + added
        guard added == 0 || count <= Limits.requestsPerSubscription else {
            throw .tooManyRequests(limit: Limits.requestsPerSubscription)
        }
    }

    /// The limits of a resource have changed: changed grants are made again and announced at the end of the turn, or
    /// over many turns if there are many streams.
    func regrant(_ index: ResourceIndex) {
        if !subscriptions.isEmpty { regrants.add(index) }
    }

    /// Makes grants again, for as many streams as there is time for in this turn.
    func regrantStreams(to sink: BrokerSink, _ now: BootTime) {
        guard regrants.isPending else { return }
        let begin = server.clock()
        var altered: Set<ResourceIndex> = []
        while server.clock() - begin < Limits.announceTurnNanoseconds,
            let token = regrants.next(Array(subscriptions.keys))
        {
            guard let subscription = subscriptions[token] else { continue }
            for index in subscription.takeRegrants(regrants) where regrant(subscription, index, sink, now) {
                altered.insert(index)
            }
        }
        for index in altered { catalog[index].device.core.settle(to: sink, now: now) }
    }

    /// Returns whether the stream now has another grant of the resource.
    private func regrant(
        _ subscription: Subscription, _ index: ResourceIndex, _ sink: BrokerSink, _ now: BootTime
    ) -> Bool {
        guard subscription.contains(index) else { return false }
        let limits = catalog.limits(of: index, for: subscription.connection)
        let former = subscription.parts.filter {
            $0.resource == index && Grant($0.request, within: limits, batchOf: $0.batchOf) != $0.grant
        }
        guard !former.isEmpty else { return false }
        renewRecord(of: subscription.connection, now: now)
        for part in former { subscription.giveBack(part.name) }
        let parts = former.map {
            var part = granting.reserve($0.request, of: index, for: subscription.connection)
            part.labelled = $0.labelled
            return part
        }
        let accounts = subscription.keepGaps(of: former, lanes.leave(subscription, former, sink, now))
        for part in parts { subscription.put(part) }
        alignments.follow(subscription, now)
        subscription.oweGrants(parts.map(\.name))
        granting.fitSendBuffer(subscription)
        debts.tell(subscription, now)
        for part in parts.compactMap({ subscription.part(named: $0.name) }) {
            lanes.join(subscription, part, inheriting: accounts[part.name], sink, now)
        }
        return true
    }

    /// Ends a stream with a last message; the client finds it after what it has not read yet.
    func end(_ subscription: Subscription, _ reason: String, to sink: BrokerSink, _ now: BootTime) {
        // The socket may be full: it needs room for the rest of a message, what is owed and the last message.
        subscription.connection.makeRoomForLastWords()
        _ = subscription.connection.flush(now: now)
        debts.tell(subscription, now)
        let parts = subscription.parts.map { part in
            (catalog[part.resource].owned, part.client(of: subscription.connection))
        }
        for (resource, client) in parts { resource.tellGaps(to: client, sink, now: now) }
        // Gathered readings are sent last; if the socket is still full, they are one more gap.
        for (resource, client) in parts {
            resource.sendGathered(to: client, sink, now: now)
            resource.tellGaps(to: client, sink, now: now)
        }
        sink.sendBundles(now)
        alignments.sendRest(to: subscription.connection.token, now)
        var writer = JSONWriter(capacity: 64)
        writer.beginReply()
        writer.member("ended", reason)
        writer.endReply()
        subscription.connection.reply(writer.bytes, now: now)
        server.close(subscription.connection)
    }

    /// The stream's client is gone.
    func drop(_ subscription: Subscription, to sink: BrokerSink, now: BootTime) {
        subscriptions[subscription.connection.token] = nil
        _ = lanes.leave(subscription, subscription.parts, sink, now)
        alignments.drop(subscription.connection.token)
        lanes.settle(subscription.parts, sink, now)
    }

    /// Ends the streams of clients that may no longer read all of their resources.
    func endForbidden(to sink: BrokerSink, _ now: BootTime) {
        for subscription in all {
            let rights = catalog.rights(of: subscription.connection)
            if subscription.parts.allSatisfy({ rights.mayRead(catalog[$0.resource].owned.kind) }) { continue }
            end(subscription, "permissionDenied", to: sink, now)
        }
    }

    /// Requests that change a stream, with those of its parts that others are aligned to now, or no longer.
    private func linked(
        _ requests: [Request], in subscription: Subscription, without removed: Set<String>
    ) throws(VarlinkError) -> [Request] {
        let replaced = removed.union(requests.map(\.name))
        let kept = subscription.parts.filter { !replaced.contains($0.name) }
        let linked = try Request.linked(kept.map(\.request) + requests)
        let altered = zip(kept, linked).filter { $0.request != $1 }.map(\.1)
        return altered + linked.dropFirst(kept.count)
    }

    /// The requested resources, by the rights of the stream's owner, whoever makes the request.
    private func readable(_ requests: [Request], by connection: Connection) throws(VarlinkError) -> [ResourceIndex] {
        try requests.map { (request) throws(VarlinkError) in
            try catalog.readable(request.resource.description, by: connection)
        }
    }

    private func charge(_ connection: Connection, _ now: BootTime) throws(VarlinkError) -> Charge {
        let quota = server.quotas.subscriptions
        let (user, isTrusted) = (connection.peer.userID, connection.peer.isAdministrator)
        if let charge = quota.charge(1, to: user, isTrusted: isTrusted) { return charge }
        let words =
            "user \(user) has reached its limit of subscriptions: process \(connection.peer.processID) gets none"
        server.clients.log.write(.subscriptions(user: user), .warning, words, now: now)
        throw .tooManySubscriptions(limit: quota.bound(isTrusted: isTrusted))
    }

    private func part(of subscription: Subscription, named name: String) throws(VarlinkError) -> Subscription.Part {
        guard let part = subscription.part(named: name) else { throw .noSuchResource(name) }
        return part
    }

    // MARK: announcements

    /// The stream's socket has room again: sends what it owes and then, in one message per resource, the gaps and the
    /// newest reading.
    func catchUp(_ subscription: Subscription, to sink: BrokerSink, now: BootTime) {
        let connection = subscription.connection
        debts.tell(subscription, now)
        alignments.send(to: connection.token, now)
        let parts = subscription.parts
        for step in parts.indices {
            let index = (subscription.catchUpFrom + step) % parts.count
            // What is left is sent when the socket has room again, and then goes first.
            guard connection.blockedSince == nil else {
                subscription.catchUpFrom = index
                break
            }
            let part = parts[index]
            catalog[part.resource].owned.catchUp(part.client(of: connection), sink, now: now)
        }
        sink.sendBundles(now)
    }

    /// A resource's state has changed: it is announced to every stream, together with changed grants if the device's
    /// interval has changed.
    func announce(_ index: ResourceIndex, withGrants: Bool, _ now: BootTime) {
        guard !subscriptions.isEmpty else { return }
        debts.announcements.add(index, withGrants: withGrants)
        checkpoint.renew(now: now)
    }

    /// Announces changes of resources to streams, as many as there is time for in this turn.
    func tellAnnouncements(_ now: BootTime) {
        guard debts.announcements.isPending else { return }
        let begin = server.clock()
        while server.clock() - begin < Limits.announceTurnNanoseconds,
            let token = debts.announcements.next(Array(subscriptions.keys))
        {
            if let subscription = subscriptions[token] { debts.tell(subscription, now) }
        }
    }

    /// A resource is about to change its state: the present one is announced now to all streams that have not received
    /// it, however many they are, so that each state is announced.
    func finishAnnouncements(of index: ResourceIndex, _ now: BootTime) {
        guard debts.announcements.contains(index) else { return }
        while let token = debts.announcements.next(Array(subscriptions.keys)) {
            if let subscription = subscriptions[token] { debts.tell(subscription, now) }
        }
    }

    /// Announces a resource's state to the streams that are about to receive readings of it.
    func tellAnnouncements(toMembersOf resource: OwnedResource, onlyGathering: Bool, _ now: BootTime) {
        guard debts.announcements.isPending else { return }
        for lane in resource.core.lanes.indices {
            guard resource.core.lanes[lane].hasOutgoing, !onlyGathering || resource.core.lanes[lane].isGathering else {
                continue
            }
            for member in resource.core.lanes[lane].members.indices {
                guard case .connection(let token, _) = resource.core.lanes[lane].members[member].client,
                    let subscription = subscriptions[token], subscription.lacks(debts.announcements)
                else { continue }
                debts.tell(subscription, now)
            }
        }
    }

    /// The key `grants` and the grants that a `Modify` tells: those of its requests, and of all without labels.
    func writeGrants(of subscription: Subscription, for requests: [Request], into writer: inout JSONWriter) {
        debts.writeGrants(of: subscription, for: requests, into: &writer)
    }

    // MARK: signs of life

    /// When to check for silent streams; nil: there are none.
    var silenceDeadline: BootTime? { silence.deadline }

    /// Sends an empty reply to streams that have been silent for long.
    func sendHeartbeats(_ now: BootTime) {
        for subscription in silence.overdue(among: all, now: now, since: { $0.connection.lastSent }) {
            // A client whose socket is full has enough to read.
            if subscription.connection.blockedSince == nil {
                var writer = JSONWriter(capacity: 32)
                writer.reply(continues: true)
                subscription.connection.reply(writer.bytes, now: now)
            }
            silence.begin(since: now, now: now)
        }
    }

    // MARK: recording streams

    /// A client's call has begun or changed: until that is recorded, the next process could not continue it.
    func renewRecord(of connection: Connection, now: BootTime) {
        guard checkpoint.store != nil else { return }
        connection.setOutOfDate()
        checkpoint.renew(now: now)
    }
}
