internal import Delivery
internal import Readings
internal import Varlink

/// Changes streams: as their clients ask, of which `Subscribe` is the first time, and as the limits of resources require.
final class StreamChanges {
    private let granting: Granting
    private let alignments: Alignments
    private let updates: StreamUpdates
    private let streams: StreamTable
    private let checkpoint: Checkpoint
    /// Resources with changed limits, whose grants may have to be made again.
    private let regrants = ResourceChanges()

    init(
        _ granting: Granting, _ alignments: Alignments, _ updates: StreamUpdates, _ streams: StreamTable,
        _ checkpoint: Checkpoint
    ) {
        self.granting = granting
        self.alignments = alignments
        self.updates = updates
        self.streams = streams
        self.checkpoint = checkpoint
    }

    /// There is a further stream; it has no parts, and will have grants by the limits as they are.
    func insert(_ stream: Subscription) {
        stream.pending.begin(announced: updates.announcements.newest, regranted: regrants.newest)
        streams.insert(stream)
    }

    /// Gives a stream that begins its parts, after its first reply.
    func begin(_ stream: Subscription, with parts: [Subscription.Part], to sink: BrokerSink, _ now: BootTime) {
        let change = StreamChange(of: stream, ending: [], putting: parts)
        carryOut(change, in: stream, to: sink, now) {
            stream.connection.reply(updates.firstReply(stream), now: now)
        }
        settle(change, to: sink, now)
    }

    func remove(_ stream: Subscription, to sink: BrokerSink, _ now: BootTime) {
        streams.remove(stream)
        _ = leave(stream, stream.parts, sink, now)
        settle(stream.parts, sink, now)
    }

    /// Changes a stream as its client asks: either completely or not at all.
    func modify(
        _ stream: Subscription, _ requests: [Request], remove names: [String], to sink: BrokerSink, now: BootTime
    ) throws(VarlinkError) {
        let ended = try names.map { (name) throws(VarlinkError) in
            guard let part = stream.part(named: name) else { throw .noSuchResource(name) }
            return part
        }
        let gone = Set(names)
        let requests = try linked(requests, in: stream, without: gone)
        let resources = try granting.readable(requests, by: stream.connection)
        // A request may be changed only once in a call, and its readings must be counted only once.
        guard gone.count == names.count, !requests.contains(where: { gone.contains($0.name) }) else {
            throw .invalidParameter("remove")
        }
        try checkRoom(for: requests, in: stream, without: ended.count)
        let labels = try granting.reserveLabels(of: requests, in: stream, ending: ended, for: stream.connection)
        // From here on nothing can fail.
        for part in ended { stream.giveBack(part.name) }
        let parts = granting.reserve(requests, of: resources, labels, in: stream)
        let change = StreamChange(of: stream, ending: ended, putting: parts)
        carryOut(change, in: stream, to: sink, now) {
            stream.didModify()
            stream.pending.addGrants(requests.filter { $0.label != nil }.map(\.name))
            updates.send(to: stream, now)
        }
        settle(change, to: sink, now)
    }

    private func settle(_ change: StreamChange, to sink: BrokerSink, _ now: BootTime) {
        settle(change.leaving + change.regranted, sink, now)
        sink.sendBundles(now)
    }

    /// Carries out a change, which cannot fail; the caller settles the devices.
    ///
    /// A client knows by the order of its messages under which grant a reading was sent. So all that belongs to the former
    /// grants comes first (1 to 4), then the new grants (5), then readings under them (6).
    private func carryOut(
        _ change: StreamChange, in stream: Subscription, to sink: BrokerSink, _ now: BootTime, announce: () -> Void
    ) {
        // What was recorded of the stream no longer holds.
        checkpoint.renew(stream.connection, now: now)
        // 1. Lanes send what they have gathered, after states that are still to be announced; the new grants are not pending yet.
        let left = leave(stream, change.leaving, sink, now)
        // 2. What else was missed becomes pending gaps.
        let accounts = stream.adopt(change, left)
        // 3. Readings that wait for their companions are sent.
        alignments.follow(stream, now)
        // 4. The socket's buffer fits the new grants before anything is sent under them.
        granting.fitSendBuffer(stream)
        // 5. The client gets its first reply, or what is pending: gaps first, then revision and grants.
        announce()
        // 6. To join a lane may send the newest reading at once.
        for part in change.regranted.compactMap({ stream.part(named: $0.name) }) {
            granting.catalog[part.resource].join(
                part.client(of: stream.connection), part.grant, inheriting: accounts[part.name], to: sink, now: now)
        }
    }

    /// Takes parts out of their lanes, after what these had gathered for them was sent; returns their accounts by their names.
    private func leave(
        _ stream: Subscription, _ parts: [Subscription.Part], _ sink: BrokerSink, _ now: BootTime
    ) -> [String: Member] {
        var accounts: [String: Member] = [:]
        for (index, group) in Self.byResource(parts) {
            let clients = group.map { $0.client(of: stream.connection) }
            let members = granting.catalog[index].leave(clients, to: sink, now: now)
            for (part, client) in zip(group, clients) { accounts[part.name] = members[client] }
        }
        return accounts
    }

    /// Settles the devices of parts that have come or gone, each once, after all of them: a device that is asked for two kinds
    /// one after the other would start its buffer twice.
    private func settle(_ parts: [Subscription.Part], _ sink: BrokerSink, _ now: BootTime) {
        for (index, _) in Self.byResource(parts) { granting.catalog.device(of: index).core.settle(to: sink, now: now) }
    }

    /// In the order of the first part of each resource.
    private static func byResource(_ parts: [Subscription.Part]) -> [(
        resource: ResourceIndex, parts: [Subscription.Part]
    )] {
        var groups: [(resource: ResourceIndex, parts: [Subscription.Part])] = []
        var known: [ResourceIndex: Int] = [:]
        for part in parts {
            if let index = known[part.resource] {
                groups[index].parts.append(part)
            } else {
                known[part.resource] = groups.count
                groups.append((part.resource, [part]))
            }
        }
        return groups
    }

    /// Requests that change a stream, with those of its parts that others are aligned to now, or no longer.
    private func linked(
        _ requests: [Request], in stream: Subscription, without removed: Set<String>
    ) throws(VarlinkError) -> [Request] {
        let replaced = removed.union(requests.map(\.name))
        let kept = stream.parts.filter { !replaced.contains($0.name) }
        let linked = try Request.linked(kept.map(\.request) + requests)
        let altered = zip(kept, linked).filter { $0.request != $1 }.map(\.1)
        return altered + linked.dropFirst(kept.count)
    }

    /// Refuses requests beyond those that a stream may have, or whose losses may still be pending.
    private func checkRoom(
        for requests: [Request], in stream: Subscription, without removed: Int
    ) throws(VarlinkError) {
        let added = requests.count { stream.part(named: $0.name) == nil }
        let count = stream.parts.count - removed + stream.pendingGapCount + added
        guard added == 0 || count <= Limits.requestsPerSubscription else {
            throw .tooManyRequests(limit: Limits.requestsPerSubscription)
        }
    }

    // MARK: changed limits

    /// Whether some grants may have to be made again.
    var arePending: Bool { regrants.isPending }

    /// The limits of a resource have changed: changed grants are made again and announced at the end of the turn, or
    /// over many turns if there are many streams.
    func regrant(_ index: ResourceIndex) { if !streams.isEmpty { regrants.add(index) } }

    /// Makes grants again, for as many streams as there is time for in this turn.
    func regrantStreams(to sink: BrokerSink, _ now: BootTime) {
        guard regrants.isPending else { return }
        var altered: Set<ResourceIndex> = []
        updates.forEachStream(of: regrants) { stream in
            for index in stream.pending.takeRegrants(regrants) where regrant(stream, index, sink, now) {
                altered.insert(index)
            }
        }
        for index in altered { granting.catalog.device(of: index).core.settle(to: sink, now: now) }
    }

    /// Returns whether the stream now has another grant of the resource.
    private func regrant(
        _ stream: Subscription, _ index: ResourceIndex, _ sink: BrokerSink, _ now: BootTime
    ) -> Bool {
        guard stream.contains(index) else { return false }
        let limits = granting.catalog.limits(of: index, for: stream.connection)
        let former = stream.parts.filter {
            $0.resource == index && Grant($0.request, within: limits, batchOf: $0.batchOf) != $0.grant
        }
        guard !former.isEmpty else { return false }
        for part in former { stream.giveBack(part.name) }
        let parts = former.map {
            granting.reserve($0.request, of: index, for: stream.connection).labelled($0.labelled)
        }
        carryOut(StreamChange(of: stream, ending: [], putting: parts), in: stream, to: sink, now) {
            stream.pending.addGrants(parts.map(\.name))
            updates.send(to: stream, now)
        }
        return true
    }
}
