internal import Admission
internal import Delivery
internal import Devices
internal import Platform
public import Readings
internal import Varlink

/// How a daemon leaves its clients to its successor: after the last turn of the loop, when nobody is heard any more.
extension Broker {
    /// Writes down what a successor has to know of its clients: a text, and the descriptors of their sockets that are not kept
    /// yet, which still belong to their connections.
    ///
    /// What devices have said and lanes have gathered is sent first. Clients beyond a number are told that the broker stops,
    /// those that only call before those that stream.
    public func handOver(atMost count: Int, now: BootTime) -> (generation: Int64, text: [UInt8], sockets: [Int32]) {
        sendAll(now)
        finishReleases(now, waitingNoLonger: true)
        var handover = Handover(resources, releases.words)
        handover.generation = (checkpoint?.generation ?? 0) + 1
        var sockets: [Int32] = []
        let candidates = server.connections.filter { $0.phase != .closing }
        let streaming = candidates.filter { streams[$0.token] != nil }
        let others = candidates.filter { streams[$0.token] == nil }
        for connection in streaming + others {
            guard handover.connections.count < count, let handed = handed(connection) else {
                if let stream = streams[connection.token] { streams.end(stream, "shutdown", to: sink, now) }
                continue
            }
            handover.connections.append(handed)
            if !connection.isKept { sockets.append(connection.socket.number) }
        }
        return (handover.generation, handover.text, sockets)
    }

    private func sendAll(_ now: BootTime) {
        for device in devices + derivations.map(\.device) { deviceSpoke(device, now) }
        for resource in resources { resource.owned.sendRest(to: sink, now: now) }
    }

    /// nil for one that has too much on its way.
    func handed(_ connection: Connection) -> HandedConnection? {
        // The rest of a long reply could be written by nobody else.
        guard connection.longReply == nil else { return nil }
        let unread = connection.input.rest
        guard max(unread.count, connection.unsent.count) <= HandedConnection.bytes else { return nil }
        let cookie = connection.socket.cookie
        guard cookie != 0 else { return nil }
        var handed = HandedConnection(
            cookie: cookie, door: connection.handler.door, serial: connection.serial,
            place: LedgerPlaces.place(of: connection.token), connectedSince: connection.since)
        handed.unread = unread
        handed.unsent = connection.unsent
        handed.isBlocked = connection.blockedSince != nil
        handed.task = task(of: connection)
        return handed
    }

    private func task(of connection: Connection) -> HandedConnection.Task {
        if let subscription = streams[connection.token] { return .stream(handed(subscription)) }
        if listWatchers.contains(connection.token) { return .list }
        for resource in resources {
            guard let read = resource.owned.reads.first(where: { $0.connection == connection.token }) else { continue }
            return .read(
                HandedRead(
                    resource: resource.core.name, since: read.since, deadline: read.deadline,
                    withSatellites: read.withSatellites))
        }
        return .none
    }

    private func handed(_ subscription: Subscription) -> HandedStream {
        let parts = subscription.parts.map { part in
            // Who holds a grant has a place.
            let standing = resources[part.resource].core.standing(of: .connection(subscription.connection.token))
            var handed = HandedPart(
                part.request, intervalNanoseconds: part.grant.intervalNanoseconds,
                batchNanoseconds: part.grant.batchNanoseconds, standing ?? Standing(since: startedAt))
            if part.grant.batchReadings > 0 { handed.batchReadings = part.grant.batchReadings }
            handed.lane = rounds.place(of: subscription.connection, in: resources[part.resource].owned)
            handed.owesGrant = subscription.owedGrants.contains(part.resource)
            return handed
        }
        var stream = HandedStream(id: subscription.id, revision: subscription.revision, parts: parts)
        stream.owesRevision = subscription.owesRevision
        stream.formerGaps = subscription.untoldGaps.map { index, gaps in
            HandedGaps(resource: resources[index].core.name, gaps: gaps)
        }
        stream.formerlyDelivered = subscription.formerlyDelivered
        stream.formerlyLost = subscription.formerlyLost
        return stream
    }
}
