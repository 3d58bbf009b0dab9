internal import Admission
internal import Delivery
internal import Readings
internal import Varlink

/// What streams are told beside their readings: grants and states, gaps, and what they missed while their sockets were full.
extension Broker {
    /// The stream's socket has room again: what it owes, then, in one message a resource, the gaps and the newest reading.
    func catchUp(_ subscription: Subscription, now: BootTime) {
        tellDebts(subscription, now)
        let client = Client.connection(subscription.connection.token)
        for part in subscription.parts { resources[part.resource].owned.catchUp(client, sink, now: now) }
    }

    func tell(_ gaps: [Gap], of index: Int, _ connection: Connection, _ now: BootTime) {
        guard !gaps.isEmpty else { return }
        let client = Client.connection(connection.token)
        sink.tell(gaps, nil, of: resources[index].owned, tellsSatellites: false, to: client, now: now)
    }

    /// Tells every stream and every watcher of the list that a resource is doing otherwise, and the streams, where the
    /// device's interval has changed, what that makes of their grants.
    func announce(_ index: Int, withGrants: Bool = false, _ now: BootTime) {
        if !subscriptions.isEmpty {
            announcements.add(index, withGrants: withGrants)
            checkpoint?.renew(now: now)
        }
        tellListToAll(now)
    }

    /// Tells streams what is new of resources, as many as there is time for in this turn.
    func tellAnnouncements(_ now: BootTime) {
        guard announcements.isPending else { return }
        let begin = server.clock()
        while server.clock() - begin < Limits.announceTurnNanoseconds,
            let token = announcements.next(Array(subscriptions.keys))
        {
            if let subscription = subscriptions[token] { tellDebts(subscription, now) }
        }
    }

    /// A resource is about to change its state: streams that have not been told of the present one are told now, however many
    /// they are, so that each state is told.
    func finishAnnouncements(of index: Int, _ now: BootTime) {
        guard announcements.contains(index) else { return }
        while let token = announcements.next(Array(subscriptions.keys)) {
            if let subscription = subscriptions[token] { tellDebts(subscription, now) }
        }
    }

    /// Has those who are about to be sent readings told first how the resource is doing.
    func tellAnnouncements(toMembersOf resource: OwnedResource, onlyGathering: Bool, _ now: BootTime) {
        guard announcements.isPending else { return }
        for lane in resource.core.lanes.indices {
            guard resource.core.lanes[lane].hasOutgoing, !onlyGathering || resource.core.lanes[lane].isGathering else {
                continue
            }
            for member in resource.core.lanes[lane].members.indices {
                guard case .connection(let token) = resource.core.lanes[lane].members[member].client,
                    let subscription = subscriptions[token], subscription.announced < announcements.newest
                else { continue }
                tellDebts(subscription, now)
            }
        }
    }

    /// What is new of a stream's resources becomes a debt to it.
    private func owe(_ subscription: Subscription) {
        guard subscription.announced < announcements.newest else { return }
        let news = announcements.since(subscription.announced).filter { subscription.contains($0.resource) }
        subscription.announced = announcements.newest
        guard !news.isEmpty else { return }
        for one in news {
            subscription.owedStates.insert(one.resource)
            if one.withGrants { subscription.owedGrants.insert(one.resource) }
        }
        // Only a tap follows the device's pace, which a state may alter.
        if subscription.hasTap { fitSendBuffer(subscription) }
    }

    /// Tells a stream what it is owed, unless its socket is full: then the debt waits, and does not grow.
    func tellDebts(_ subscription: Subscription, _ now: BootTime) {
        owe(subscription)
        guard subscription.connection.blockedSince == nil else { return }
        for (index, gaps) in subscription.takeOwedGaps() { tell(gaps, of: index, subscription.connection, now) }
        guard subscription.owesRevision || !subscription.owedGrants.isEmpty || !subscription.owedStates.isEmpty else {
            return
        }
        if subscription.owesRevision || !subscription.owedGrants.isEmpty {
            subscription.connection.reply(debtsReply(subscription), now: now)
        } else {
            tellStates(subscription, now)
        }
        subscription.owesRevision = false
        subscription.owedGrants = []
        subscription.owedStates = []
    }

    private func debtsReply(_ subscription: Subscription) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        if subscription.owesRevision { writer.member("revision", Int64(subscription.revision)) }
        let parts = subscription.parts.filter {
            subscription.owesRevision || subscription.owedGrants.contains($0.resource)
        }
        if !parts.isEmpty { grants(parts, into: &writer) }
        if !subscription.owedStates.isEmpty {
            let owed = subscription.owedStates.sorted().map { resources[$0] }
            writer.resources(owed, for: rights(of: subscription.connection))
        }
        writer.endReply(continues: true)
        return writer.bytes
    }

    /// Tells states alone.
    ///
    /// The message is written once for all streams that are told the same one after the other.
    private func tellStates(_ subscription: Subscription, _ now: BootTime) {
        let key = StatesReply.Key(
            news: announcements.newest, resources: subscription.owedStates, rights: rights(of: subscription.connection))
        if statesReply?.key != key {
            var writer = JSONWriter(capacity: 512)
            writer.beginReply()
            writer.resources(key.resources.sorted().map { resources[$0] }, for: key.rights)
            writer.endReply(continues: true)
            statesReply = StatesReply(key: key, bytes: writer.bytes)
        }
        if let statesReply { subscription.connection.reply(statesReply.bytes, now: now) }
    }

    func firstReply(_ subscription: Subscription) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginReply()
        writer.member("subscription", subscription.id)
        writer.member("revision", Int64(subscription.revision))
        grants(subscription.parts, into: &writer)
        writer.resources(subscription.parts.map { resources[$0.resource] }, for: rights(of: subscription.connection))
        writer.endReply(continues: true)
        return writer.bytes
    }

    /// The key `grants` and what is granted.
    func grants(_ parts: [Subscription.Part], into writer: inout JSONWriter) {
        writer.key("grants")
        writer.beginArray()
        for part in parts { writer.grant(part.grant, of: resources[part.resource].core) }
        writer.endArray()
    }
}

/// A message that tells the states of some resources, kept for the next stream that is told the same.
struct StatesReply {
    /// What the message depends on: a state changes only with news of it.
    struct Key: Equatable {
        let news: Int
        let resources: Set<Int>
        let rights: Rights
    }

    let key: Key
    let bytes: [UInt8]
}
