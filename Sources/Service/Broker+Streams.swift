internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// Streams: how they begin, change, catch up and end.
extension Broker {
    /// Begins a stream: its first reply, then what is known already, then whatever comes.
    func subscribe(_ connection: Connection, _ requests: [Request], now: BootTime) throws(VarlinkError) {
        let parts = try grant(requests, to: connection)
        let charge = try charge(connection, now)
        let subscription = Subscription(id: Subscription.makeID(), connection: connection, charge: charge, parts: parts)
        subscriptions[connection.token] = subscription
        connection.makeBusy()
        fitSendBuffer(subscription)
        connection.reply(firstReply(subscription), now: now)
        for part in parts { join(subscription, part, inheriting: nil, now) }
        renewCheckpoint(of: connection, now: now)
        scheduleCheck(at: now + Limits.heartbeatNanoseconds)
    }

    /// Changes a running stream; either all of it happens or none.
    func modify(
        _ subscription: Subscription, _ requests: [Request], remove names: [String], now: BootTime
    ) throws(VarlinkError) {
        let parts = try grant(requests, to: subscription.connection)
        let removed = try names.map { (name) throws(VarlinkError) in try self.part(of: subscription, named: name) }
        // One resource, one change; and what it got must be counted once.
        guard Set(removed).count == removed.count, !parts.contains(where: { removed.contains($0.resource) }) else {
            throw .invalidParameter("remove")
        }
        let added = parts.filter { !subscription.contains($0.resource) }.count
        guard subscription.parts.count + added <= Limits.requestsPerSubscription else {
            throw .invalidParameter("requests")
        }
        // What is granted already goes on as it is.
        let changed = parts.filter { part in
            !subscription.parts.contains { $0.resource == part.resource && $0.grant == part.grant }
        }
        let former = leave(subscription, removed + changed.map(\.resource), now)
        for index in removed { subscription.remove(index, former[index]) }
        for part in parts { subscription.put(part) }
        subscription.revision += 1
        subscription.owesRevision = true
        renewCheckpoint(of: subscription.connection, now: now)
        fitSendBuffer(subscription)
        tellDebts(subscription, now)
        for part in changed { join(subscription, part, inheriting: former[part.resource], now) }
        for index in removed { settle(resources[index], now) }
    }

    /// The device can do other than was believed: grants that this alters are made anew, and announced.
    func regrant(_ index: Int, _ now: BootTime) {
        for subscription in subscriptions.values {
            guard let former = subscription.parts.first(where: { $0.resource == index }) else { continue }
            let part = Subscription.Part(
                resource: index, request: former.request,
                within: rights(of: subscription.connection).applied(to: resources[index].core.limits))
            guard part.grant != former.grant else { continue }
            let account = leave(subscription, [index], now)[index]
            subscription.put(part)
            subscription.owedGrants.insert(index)
            fitSendBuffer(subscription)
            tellDebts(subscription, now)
            join(subscription, part, inheriting: account, now)
        }
    }

    /// Ends a stream with a last word; the client finds it behind what it has not read yet.
    func end(_ subscription: Subscription, _ reason: String, _ now: BootTime) {
        // The socket may be full: room for the rest of a message, what is owed and the last word.
        subscription.connection.makeRoomForLastWords()
        _ = subscription.connection.flush(now: now)
        tellDebts(subscription, now)
        for part in subscription.parts { tellGaps(of: part.resource, subscription.connection, now) }
        // What was being gathered is the last of it; where the socket is full still, that is one more gap.
        for part in subscription.parts {
            sendGathered(part.resource, subscription.connection.token, now)
            tellGaps(of: part.resource, subscription.connection, now)
        }
        var writer = JSONWriter(capacity: 64)
        writer.beginReply()
        writer.member("ended", reason)
        writer.endReply()
        subscription.connection.reply(writer.bytes, now: now)
        server.close(subscription.connection)
    }

    /// The stream's socket has room again: what it owes, then, in one message a resource, the gaps and the newest reading.
    func catchUp(_ subscription: Subscription, now: BootTime) {
        tellDebts(subscription, now)
        for part in subscription.parts {
            let resource = resources[part.resource]
            guard let place = resource.core.place(of: subscription.connection.token) else { continue }
            let lane = place.lane
            let newest = resource.core.lanes[lane].newest
            let (gaps, reading) = resource.core.lanes[lane].members[place.member].catchUp(with: newest)
            guard !gaps.isEmpty || reading != nil else { continue }
            var writer = JSONWriter(capacity: 512)
            writer.beginReply()
            if let reading { write(reading, of: resource, in: lane, into: &writer) }
            writer.gaps(gaps, of: resource.core.name)
            writer.endReply(continues: true)
            subscription.connection.reply(writer.bytes, now: now)
        }
    }

    /// What the client missed last, without the newest reading: there will be no further one.
    private func tellGaps(of index: Int, _ connection: Connection, _ now: BootTime) {
        let resource = resources[index]
        guard let place = resource.core.place(of: connection.token) else { return }
        tell(resource.core.lanes[place.lane].members[place.member].catchUp(with: nil).gaps, of: index, connection, now)
    }

    private func tell(_ gaps: [Gap], of index: Int, _ connection: Connection, _ now: BootTime) {
        guard !gaps.isEmpty else { return }
        var writer = JSONWriter(capacity: 256)
        writer.beginReply()
        writer.gaps(gaps, of: resources[index].core.name)
        writer.endReply(continues: true)
        connection.reply(writer.bytes, now: now)
    }

    /// The stream's client is gone.
    func drop(_ subscription: Subscription, now: BootTime) {
        subscriptions[subscription.connection.token] = nil
        _ = leave(subscription, subscription.parts.map(\.resource), now)
        for part in subscription.parts { settle(resources[part.resource], now) }
    }

    /// Tells every stream and every watcher of the list that a resource is doing otherwise, and the streams, where the
    /// device's interval has changed, what that makes of their grants.
    func announce(_ index: Int, withGrants: Bool = false, _ now: BootTime) {
        for subscription in subscriptions.values where subscription.contains(index) {
            subscription.owedStates.insert(index)
            if withGrants { subscription.owedGrants.insert(index) }
            fitSendBuffer(subscription)
            tellDebts(subscription, now)
        }
        tellListToAll(now)
        if !subscriptions.isEmpty { checkpoint?.renew(now: now) }
    }

    /// Tells a stream what it is owed, unless its socket is full: then the debt waits, and does not grow.
    private func tellDebts(_ subscription: Subscription, _ now: BootTime) {
        guard subscription.connection.blockedSince == nil else { return }
        for (index, gaps) in subscription.takeOwedGaps() { tell(gaps, of: index, subscription.connection, now) }
        guard subscription.owesRevision || !subscription.owedGrants.isEmpty || !subscription.owedStates.isEmpty else {
            return
        }
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        if subscription.owesRevision { writer.member("revision", Int64(subscription.revision)) }
        let parts = subscription.parts.filter {
            subscription.owesRevision || subscription.owedGrants.contains($0.resource)
        }
        if subscription.owesRevision || !parts.isEmpty { grants(parts, into: &writer) }
        if !subscription.owedStates.isEmpty {
            let owed = subscription.owedStates.sorted().map { resources[$0] }
            writer.resources(owed, for: rights(of: subscription.connection))
        }
        writer.endReply(continues: true)
        subscription.owesRevision = false
        subscription.owedGrants = []
        subscription.owedStates = []
        subscription.connection.reply(writer.bytes, now: now)
    }

    private func firstReply(_ subscription: Subscription) -> [UInt8] {
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

    /// What the stream of a connection gets, by the rights of whom it belongs to, whoever asks for it.
    private func grant(
        _ requests: [Request], to connection: Connection
    ) throws(VarlinkError) -> [Subscription.Part] {
        let rights = rights(of: connection)
        return try requests.map { (request) throws(VarlinkError) in
            let index = try readable(request.resource.description, by: connection)
            return Subscription.Part(
                resource: index, request: request, within: rights.applied(to: resources[index].core.limits))
        }
    }

    private func charge(_ connection: Connection, _ now: BootTime) throws(VarlinkError) -> Charge {
        let quota = server.quotas.subscriptions
        let (user, isTrusted) = (connection.peer.userID, connection.peer.isAdministrator)
        if let charge = quota.charge(1, to: user, isTrusted: isTrusted) { return charge }
        let words =
            "user \(user) has as many subscriptions as it may have: process \(connection.peer.processID) gets none"
        server.log.write(.subscriptions(user: user), .warning, words, now: now)
        throw .tooManySubscriptions(limit: quota.bound(isTrusted: isTrusted))
    }

    private func part(of subscription: Subscription, named name: String) throws(VarlinkError) -> Int {
        guard let index = ResourceName(name).flatMap({ index(of: $0) }), subscription.contains(index) else {
            throw .noSuchResource(name)
        }
        return index
    }

    private func join(
        _ subscription: Subscription, _ part: Subscription.Part, inheriting former: Member?, _ now: BootTime
    ) {
        let resource = resources[part.resource]
        let token = subscription.connection.token
        let first = resource.core.join(token, part.grant, now: now, inheriting: former)
        // Joining completed the lane's batch, for the members that were there before.
        fanOut(resource, now)
        if let first { sendAlone(first, resource, subscription.connection, now) }
        settle(resource, now)
    }

    /// The source fell silent behind a change of request: what the client had not seen by then.
    func sendUnseen(_ resource: ServedResource, _ now: BootTime) {
        for (client, reading) in resource.core.takeUnseen(now: now) {
            guard let connection = server.connection(client) else { continue }
            sendAlone(reading, resource, connection, now)
        }
    }

    /// A reading like any other: where a stuck client's stream is changed, it is missed and told like any other.
    private func sendAlone(_ first: Sample, _ resource: ServedResource, _ connection: Connection, _ now: BootTime) {
        guard let place = resource.core.place(of: connection.token) else { return }
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        write(first, of: resource, in: place.lane, into: &writer)
        writer.endReply(continues: true)
        if connection.stream(writer.bytes.span, now: now) {
            resource.core.lanes[place.lane].members[place.member].didDeliver(alone: first)
        } else {
            resource.core.lanes[place.lane].members[place.member].didMiss([first])
        }
    }

    private func write(_ reading: Sample, of resource: ServedResource, in lane: Int, into writer: inout JSONWriter) {
        writer.readings(
            [reading], of: resource.core.name, withSatellites: resource.core.lanes[lane].grant.tellsSatellites)
    }

    /// Takes a client out of lanes, after what they had gathered for it was sent; returns its accounts by resource.
    private func leave(_ subscription: Subscription, _ indices: [Int], _ now: BootTime) -> [Int: Member] {
        var accounts: [Int: Member] = [:]
        for index in indices {
            let resource = resources[index]
            sendGathered(index, subscription.connection.token, now)
            accounts[index] = resource.core.leave(subscription.connection.token)
        }
        return accounts
    }

    private func sendGathered(_ index: Int, _ token: UInt64, _ now: BootTime) {
        guard let place = resources[index].core.place(of: token) else { return }
        resources[index].core.lanes[place.lane].closeBatch()
        fanOut(resources[index], now)
    }

    func fitSendBuffer(_ subscription: Subscription) {
        let bytes = subscription.parts.reduce(0) { sum, part in
            let resource = resources[part.resource]
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
        if bytes > 0 { subscription.connection.setSendBuffer(bytes: bytes + SendBuffer.controlBytes) }
    }
}
