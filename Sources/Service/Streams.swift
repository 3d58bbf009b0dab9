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
    /// The states of resources that are still to be announced to streams.
    private let announcements = StreamNews()
    /// Resources with changed limits, whose grants may have to be made again.
    private let regrants = StreamNews()
    private var messages: StreamMessages
    /// Streams that have been silent for so long that an empty reply must show that they are alive.
    private var silence = OverdueWatch(limitNanoseconds: Limits.heartbeatNanoseconds)
    /// When to record the streams, in case this process dies.
    private let checkpoint: Checkpoint
    /// Those in which resources are aligned to others.
    let alignments: Alignments

    init(_ catalog: Catalog, _ server: Server, _ checkpoint: Checkpoint, _ alignments: Alignments) {
        (self.catalog, self.server, self.checkpoint, self.alignments) = (catalog, server, checkpoint, alignments)
        granting = Granting(catalog: catalog, quotas: server.quotas)
        messages = StreamMessages(catalog)
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
    var hasNews: Bool { announcements.isPending || regrants.isPending }

    // MARK: how they begin, change and end

    /// Begins a stream: its first reply, then what is known already, then everything that follows.
    func subscribe(
        _ connection: Connection, _ requests: [Request], to sink: BrokerSink, now: BootTime
    ) throws(VarlinkError) {
        let requests = try Request.linked(requests)
        let wanted = try readable(requests, by: connection)
        let charge = try charge(connection, now)
        let parts = zip(requests, wanted).map { granting.reserve($0, of: $1, for: connection) }
        let subscription = Subscription(id: Subscription.makeID(), connection: connection, charge: charge, parts: parts)
        insert(subscription, now)
        alignments.follow(subscription, now)
        connection.reply(messages.firstReply(subscription), now: now)
        for part in parts { join(subscription, part, inheriting: nil, sink, now) }
        // After all parts have joined: a device that is asked for two kinds one after the other would start its buffer
        // twice.
        for part in parts { catalog.resources[part.resource].device.core.settle(to: sink, now: now) }
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
            let missed = catalog.resources[part.resource].core.resume(
                .connection(connection.token), part.grant, handed.account,
                periodNanoseconds: periods[handed.request.resource])
            if let missed { tell([missed], of: part.resource, connection, sink, now) }
        }
        return true
    }

    /// From now on the connection carries the stream.
    private func insert(_ subscription: Subscription, _ now: BootTime) {
        assert(subscriptions[subscription.connection.token] == nil, "a connection carries one stream")
        subscription.begin(announced: announcements.newest, regranted: regrants.newest)
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
        let requests = try linked(requests, in: subscription, without: removed)
        let wanted = try readable(requests, by: subscription.connection)
        // A resource may be changed only once in a call, and its readings must be counted only once.
        guard Set(removed).count == removed.count, !wanted.contains(where: { removed.contains($0) }) else {
            throw .invalidParameter("remove")
        }
        let added = wanted.filter { !subscription.contains($0) }.count
        guard subscription.parts.count + added <= Limits.requestsPerSubscription else {
            throw .invalidParameter("requests")
        }
        renewRecord(of: subscription.connection, now: now)
        for index in removed { subscription.giveBack(index) }
        let parts = zip(requests, wanted).map { granting.reserve($0, of: $1, in: subscription) }
        // An unchanged grant goes on as it is.
        let changed = parts.filter { subscription.part(of: $0.resource)?.grant != $0.grant }
        let former = leave(subscription, removed + changed.map(\.resource), sink, now)
        for index in removed { subscription.remove(index, former[index]) }
        for part in parts { subscription.put(part) }
        alignments.follow(subscription, now)
        subscription.didModify()
        granting.fitSendBuffer(subscription)
        tellDebts(subscription, sink, now)
        for part in changed { join(subscription, part, inheriting: former[part.resource], sink, now) }
        for index in removed + changed.map(\.resource) {
            catalog.resources[index].device.core.settle(to: sink, now: now)
        }
    }

    /// The limits of a resource have changed: changed grants are made again and announced at the end of the turn, or
    /// over many turns if there are many streams.
    func regrant(_ index: Int) {
        if !subscriptions.isEmpty { regrants.add(index) }
    }

    /// Makes grants again, for as many streams as there is time for in this turn.
    func regrantStreams(to sink: BrokerSink, _ now: BootTime) {
        guard regrants.isPending else { return }
        let begin = server.clock()
        var altered: Set<Int> = []
        while server.clock() - begin < Limits.announceTurnNanoseconds,
            let token = regrants.next(Array(subscriptions.keys))
        {
            guard let subscription = subscriptions[token] else { continue }
            for index in subscription.takeRegrants(regrants) where regrant(subscription, index, sink, now) {
                altered.insert(index)
            }
        }
        for index in altered { catalog.resources[index].device.core.settle(to: sink, now: now) }
    }

    /// Returns whether the stream now has another grant of the resource.
    private func regrant(
        _ subscription: Subscription, _ index: Int, _ sink: BrokerSink, _ now: BootTime
    ) -> Bool {
        guard let former = subscription.part(of: index) else { return false }
        let limits = catalog.limits(of: index, for: subscription.connection)
        guard Grant(former.request, within: limits, batchOf: former.batchOf) != former.grant else { return false }
        renewRecord(of: subscription.connection, now: now)
        subscription.giveBack(index)
        let part = granting.reserve(former.request, of: index, for: subscription.connection)
        let account = leave(subscription, [index], sink, now)[index]
        subscription.put(part)
        subscription.oweGrant(of: index)
        granting.fitSendBuffer(subscription)
        tellDebts(subscription, sink, now)
        join(subscription, part, inheriting: account, sink, now)
        return true
    }

    /// Ends a stream with a last message; the client finds it after what it has not read yet.
    func end(_ subscription: Subscription, _ reason: String, to sink: BrokerSink, _ now: BootTime) {
        // The socket may be full: it needs room for the rest of a message, what is owed and the last message.
        subscription.connection.makeRoomForLastWords()
        _ = subscription.connection.flush(now: now)
        tellDebts(subscription, sink, now)
        let client = Client.connection(subscription.connection.token)
        let parts = subscription.parts.map { catalog.resources[$0.resource].owned }
        for part in parts { part.tellGaps(to: client, sink, now: now) }
        // Gathered readings are sent last; if the socket is still full, they are one more gap.
        for part in parts {
            part.sendGathered(to: client, sink, now: now)
            part.tellGaps(to: client, sink, now: now)
        }
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
        _ = leave(subscription, subscription.parts.map(\.resource), sink, now)
        alignments.drop(subscription.connection.token)
        for part in subscription.parts { catalog.resources[part.resource].device.core.settle(to: sink, now: now) }
    }

    /// Ends the streams of clients that may no longer read all of their resources.
    func endForbidden(to sink: BrokerSink, _ now: BootTime) {
        for subscription in all {
            let rights = catalog.rights(of: subscription.connection)
            if subscription.parts.allSatisfy({ rights.mayRead(catalog.resources[$0.resource].owned.kind) }) { continue }
            end(subscription, "permissionDenied", to: sink, now)
        }
    }

    /// Requests that change a stream, with those of its parts that others are aligned to now, or no longer.
    private func linked(
        _ requests: [Request], in subscription: Subscription, without removed: [Int]
    ) throws(VarlinkError) -> [Request] {
        let kept = subscription.parts.filter { part in
            !removed.contains(part.resource) && !requests.contains { $0.resource == part.request.resource }
        }
        let linked = try Request.linked(kept.map(\.request) + requests)
        let altered = zip(kept, linked).filter { $0.request != $1 }.map(\.1)
        return altered + linked.dropFirst(kept.count)
    }

    /// The requested resources, by the rights of the stream's owner, whoever makes the request.
    private func readable(_ requests: [Request], by connection: Connection) throws(VarlinkError) -> [Int] {
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
        server.log.write(.subscriptions(user: user), .warning, words, now: now)
        throw .tooManySubscriptions(limit: quota.bound(isTrusted: isTrusted))
    }

    private func part(of subscription: Subscription, named name: String) throws(VarlinkError) -> Int {
        guard let index = ResourceName(name).flatMap({ catalog.index(of: $0) }), subscription.contains(index) else {
            throw .noSuchResource(name)
        }
        return index
    }

    /// The caller settles the device.
    private func join(
        _ subscription: Subscription, _ part: Subscription.Part, inheriting former: Member?, _ sink: BrokerSink,
        _ now: BootTime
    ) {
        let client = Client.connection(subscription.connection.token)
        catalog.resources[part.resource].owned.join(client, part.grant, inheriting: former, to: sink, now: now)
    }

    /// Takes a client out of lanes, after what they had gathered for it was sent; returns its accounts by resource.
    private func leave(
        _ subscription: Subscription, _ indices: [Int], _ sink: BrokerSink, _ now: BootTime
    ) -> [Int: Member] {
        var accounts: [Int: Member] = [:]
        for index in indices {
            let client = Client.connection(subscription.connection.token)
            accounts[index] = catalog.resources[index].owned.leave(client, to: sink, now: now)
        }
        return accounts
    }

    // MARK: announcements

    /// The stream's socket has room again: sends what it owes and then, in one message per resource, the gaps and the
    /// newest reading.
    func catchUp(_ subscription: Subscription, to sink: BrokerSink, now: BootTime) {
        tellDebts(subscription, sink, now)
        alignments.send(to: subscription.connection.token, now)
        let client = Client.connection(subscription.connection.token)
        for part in subscription.parts { catalog.resources[part.resource].owned.catchUp(client, sink, now: now) }
    }

    private func tell(
        _ gaps: [Gap], of index: Int, _ connection: Connection, _ sink: BrokerSink, _ now: BootTime
    ) {
        guard !gaps.isEmpty else { return }
        let client = Client.connection(connection.token)
        sink.tell(gaps, nil, of: catalog.resources[index].owned, tellsSatellites: false, to: client, now: now)
    }

    /// A resource's state has changed: it is announced to every stream, together with changed grants if the device's
    /// interval has changed.
    func announce(_ index: Int, withGrants: Bool, _ now: BootTime) {
        guard !subscriptions.isEmpty else { return }
        announcements.add(index, withGrants: withGrants)
        checkpoint.renew(now: now)
    }

    /// Announces changes of resources to streams, as many as there is time for in this turn.
    func tellAnnouncements(to sink: BrokerSink, _ now: BootTime) {
        guard announcements.isPending else { return }
        let begin = server.clock()
        while server.clock() - begin < Limits.announceTurnNanoseconds,
            let token = announcements.next(Array(subscriptions.keys))
        {
            if let subscription = subscriptions[token] { tellDebts(subscription, sink, now) }
        }
    }

    /// A resource is about to change its state: the present one is announced now to all streams that have not received
    /// it, however many they are, so that each state is announced.
    func finishAnnouncements(of index: Int, to sink: BrokerSink, _ now: BootTime) {
        guard announcements.contains(index) else { return }
        while let token = announcements.next(Array(subscriptions.keys)) {
            if let subscription = subscriptions[token] { tellDebts(subscription, sink, now) }
        }
    }

    /// Announces a resource's state to the streams that are about to receive readings of it.
    func tellAnnouncements(
        toMembersOf resource: OwnedResource, onlyGathering: Bool, _ sink: BrokerSink, _ now: BootTime
    ) {
        guard announcements.isPending else { return }
        for lane in resource.core.lanes.indices {
            guard resource.core.lanes[lane].hasOutgoing, !onlyGathering || resource.core.lanes[lane].isGathering else {
                continue
            }
            for member in resource.core.lanes[lane].members.indices {
                guard case .connection(let token) = resource.core.lanes[lane].members[member].client,
                    let subscription = subscriptions[token], subscription.lacks(announcements)
                else { continue }
                tellDebts(subscription, sink, now)
            }
        }
    }

    /// Sends a stream what it is owed, unless its socket is full: then the debt waits, and does not grow.
    private func tellDebts(_ subscription: Subscription, _ sink: BrokerSink, _ now: BootTime) {
        // Only a tap follows the device's pace, which a state may change.
        if subscription.lacks(announcements), subscription.owe(announcements), subscription.hasTap {
            granting.fitSendBuffer(subscription)
        }
        guard subscription.connection.blockedSince == nil else { return }
        for (index, gaps) in subscription.takeOwedGaps() { tell(gaps, of: index, subscription.connection, sink, now) }
        guard subscription.hasDebts else { return }
        if subscription.owesRevision || !subscription.owedGrants.isEmpty {
            subscription.connection.reply(messages.debtsReply(subscription), now: now)
        } else {
            let states = messages.statesReply(subscription, news: announcements.newest)
            subscription.connection.reply(states, now: now)
        }
        subscription.didTellDebts()
    }

    /// The key `grants` and the grants.
    func writeGrants(of subscription: Subscription, into writer: inout JSONWriter) {
        messages.grants(subscription.parts, into: &writer)
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
