internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// Streams: how they begin, change and end.
extension Broker {
    /// Begins a stream: its first reply, then what is known already, then whatever comes.
    func subscribe(_ connection: Connection, _ requests: [Request], now: BootTime) throws(VarlinkError) {
        let wanted = try readable(requests, by: connection)
        let charge = try charge(connection, now)
        let parts = zip(requests, wanted).map { reserve($0, of: $1, for: connection) }
        let subscription = Subscription(id: Subscription.makeID(), connection: connection, charge: charge, parts: parts)
        subscription.announced = announcements.newest
        subscription.regranted = regrants.newest
        subscriptions[connection.token] = subscription
        connection.makeBusy()
        fitSendBuffer(subscription)
        connection.reply(firstReply(subscription), now: now)
        for part in parts {
            join(subscription, part, inheriting: nil, now)
            settle(resources[part.resource].device, now)
        }
        renewCheckpoint(of: connection, now: now)
        watchSilence(now: now)
    }

    /// Changes a running stream; either all of it happens or none.
    func modify(
        _ subscription: Subscription, _ requests: [Request], remove names: [String], now: BootTime
    ) throws(VarlinkError) {
        let wanted = try readable(requests, by: subscription.connection)
        let removed = try names.map { (name) throws(VarlinkError) in try self.part(of: subscription, named: name) }
        // One resource, one change; and what it got must be counted once.
        guard Set(removed).count == removed.count, !wanted.contains(where: { removed.contains($0) }) else {
            throw .invalidParameter("remove")
        }
        let added = wanted.filter { !subscription.contains($0) }.count
        guard subscription.parts.count + added <= Limits.requestsPerSubscription else {
            throw .invalidParameter("requests")
        }
        renewCheckpoint(of: subscription.connection, now: now)
        for index in removed { subscription.giveBack(index) }
        let parts = zip(requests, wanted).map { reserve($0, of: $1, in: subscription) }
        // What is granted already goes on as it is.
        let changed = parts.filter { subscription.part(of: $0.resource)?.grant != $0.grant }
        let former = leave(subscription, removed + changed.map(\.resource), now)
        for index in removed { subscription.remove(index, former[index]) }
        for part in parts { subscription.put(part) }
        subscription.revision += 1
        subscription.owesRevision = true
        fitSendBuffer(subscription)
        tellDebts(subscription, now)
        for part in changed { join(subscription, part, inheriting: former[part.resource], now) }
        for index in removed + changed.map(\.resource) { settle(resources[index].device, now) }
    }

    /// The limits of a resource have changed: at the end of the turn, or by many turns where there are many streams, grants
    /// that this alters are made anew, and announced.
    func regrant(_ index: Int) {
        if !subscriptions.isEmpty { regrants.add(index) }
    }

    /// Makes grants anew, of as many streams as there is time for in this turn.
    func regrantStreams(_ now: BootTime) {
        guard regrants.isPending else { return }
        let begin = server.clock()
        var altered: Set<Int> = []
        while server.clock() - begin < Limits.announceTurnNanoseconds,
            let token = regrants.next(Array(subscriptions.keys))
        {
            guard let subscription = subscriptions[token], subscription.regranted < regrants.newest else { continue }
            let news = regrants.since(subscription.regranted)
            subscription.regranted = regrants.newest
            for one in news where regrant(subscription, one.resource, now) { altered.insert(one.resource) }
        }
        for index in altered { settle(resources[index].device, now) }
    }

    /// Returns whether the stream has another grant of the resource now.
    private func regrant(_ subscription: Subscription, _ index: Int, _ now: BootTime) -> Bool {
        guard let former = subscription.part(of: index) else { return false }
        let limits = limits(of: index, for: subscription.connection)
        guard Grant(former.request, within: limits, batchOf: former.batchOf) != former.grant else { return false }
        renewCheckpoint(of: subscription.connection, now: now)
        subscription.giveBack(index)
        let part = reserve(former.request, of: index, for: subscription.connection)
        let account = leave(subscription, [index], now)[index]
        subscription.put(part)
        subscription.owedGrants.insert(index)
        fitSendBuffer(subscription)
        tellDebts(subscription, now)
        join(subscription, part, inheriting: account, now)
        return true
    }

    /// Ends a stream with a last word; the client finds it behind what it has not read yet.
    func end(_ subscription: Subscription, _ reason: String, _ now: BootTime) {
        // The socket may be full: room for the rest of a message, what is owed and the last word.
        subscription.connection.makeRoomForLastWords()
        _ = subscription.connection.flush(now: now)
        tellDebts(subscription, now)
        let client = Client.connection(subscription.connection.token)
        let parts = subscription.parts.map { resources[$0.resource].owned }
        for part in parts { part.tellGaps(to: client, sink, now: now) }
        // What was being gathered is the last of it; where the socket is full still, that is one more gap.
        for part in parts {
            part.sendGathered(to: client, sink, now: now)
            part.tellGaps(to: client, sink, now: now)
        }
        var writer = JSONWriter(capacity: 64)
        writer.beginReply()
        writer.member("ended", reason)
        writer.endReply()
        subscription.connection.reply(writer.bytes, now: now)
        server.close(subscription.connection)
    }

    /// The stream's client is gone.
    func drop(_ subscription: Subscription, now: BootTime) {
        subscriptions[subscription.connection.token] = nil
        _ = leave(subscription, subscription.parts.map(\.resource), now)
        for part in subscription.parts { settle(resources[part.resource].device, now) }
    }

    /// What is asked of, by the rights of whom the stream belongs to, whoever asks for it.
    private func readable(_ requests: [Request], by connection: Connection) throws(VarlinkError) -> [Int] {
        try requests.map { (request) throws(VarlinkError) in
            try readable(request.resource.description, by: connection)
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

    /// The caller settles the device.
    private func join(
        _ subscription: Subscription, _ part: Subscription.Part, inheriting former: Member?, _ now: BootTime
    ) {
        let client = Client.connection(subscription.connection.token)
        resources[part.resource].owned.join(client, part.grant, inheriting: former, to: sink, now: now)
    }

    /// Takes a client out of lanes, after what they had gathered for it was sent; returns its accounts by resource.
    private func leave(_ subscription: Subscription, _ indices: [Int], _ now: BootTime) -> [Int: Member] {
        var accounts: [Int: Member] = [:]
        for index in indices {
            let client = Client.connection(subscription.connection.token)
            accounts[index] = resources[index].owned.leave(client, to: sink, now: now)
        }
        return accounts
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
        subscription.connection.reservedUnsentBytes = subscription.parts.reduce(0) {
            $0 + $1.grant.batchReplyBytes(of: resources[$1.resource].core.kind)
        }
        if bytes > 0 { subscription.connection.setSendBuffer(bytes: bytes + SendBuffer.controlBytes) }
    }
}
