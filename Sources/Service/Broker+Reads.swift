internal import Delivery
internal import Readings
internal import Varlink

/// `Read`: one reading, and always an answer.
extension Broker {
    /// Answers from the cache if that is fresh enough, which asks nothing of the device; else when the next sample comes.
    func read(
        _ connection: Connection, _ index: Int, maximumAge: Int64, timeout: Int64, withSatellites: Bool, now: BootTime
    ) throws(VarlinkError) {
        let resource = resources[index]
        if let newest = resource.core.newest, Self.isCurrent(newest, resource, maximumAge: maximumAge, now: now) {
            return answer(connection, newest, resource.core.name, withSatellites: withSatellites, now)
        }
        guard !resource.device.isReleased else {
            throw .resourceUnavailable(resource.core.name.description, reason: Self.releasedWords)
        }
        // Somebody keeps the device being retried: its state is the truth. Else it may be out of date, and is tried now.
        if case .unavailable(let reason) = resource.core.state, resource.device.core.demand != nil {
            throw .resourceUnavailable(resource.core.name.description, reason: reason)
        }
        connection.makeBusy()
        resource.reads.append(
            PendingRead(
                connection: connection.token, since: now, deadline: now + timeout, withSatellites: withSatellites))
        resource.core.countWaitingRead(1)
        settle(resource.device, now)
    }

    private static func isCurrent(
        _ newest: Sample, _ resource: ServedResource, maximumAge: Int64, now: BootTime
    ) -> Bool {
        // What holds until it changes is as good as new, while it is followed.
        if resource.core.kind.row.reporting == .onChange { return resource.core.state == .active }
        return maximumAge > 0 && now - newest.timestamp <= maximumAge
    }

    /// A sample answers the calls that were made before it was measured.
    func serveReads(_ resource: ServedResource, _ sample: Sample, _ now: BootTime) {
        guard !resource.reads.isEmpty else { return }
        finishReads(resource, now) { read, connection in
            guard sample.timestamp >= read.since || resource.core.kind.row.reporting == .onChange else { return false }
            answer(connection, sample, resource.core.name, withSatellites: read.withSatellites, now)
            return true
        }
    }

    func failReads(_ resource: ServedResource, _ reason: String, _ now: BootTime) {
        finishReads(resource, now) { _, connection in
            refuse(connection, .resourceUnavailable(resource.core.name.description, reason: reason), now)
            return true
        }
    }

    /// Those who may not read it any more need not wait.
    func refuseReads(_ index: Int, _ now: BootTime, where isRefused: (Connection) -> Bool) {
        finishReads(resources[index], now) { _, connection in
            guard isRefused(connection) else { return false }
            refuse(connection, .permissionDenied, now)
            return true
        }
    }

    func expireReads(_ resource: ServedResource, _ now: BootTime) {
        guard resource.reads.contains(where: { now >= $0.deadline }) else { return }
        finishReads(resource, now) { read, connection in
            guard now >= read.deadline else { return false }
            refuse(connection, .timedOut, now)
            return true
        }
    }

    /// The caller is gone.
    func dropReads(of connection: Connection, now: BootTime) {
        for resource in resources where resource.reads.contains(where: { $0.connection == connection.token }) {
            finishReads(resource, now) { read, _ in read.connection == connection.token }
        }
    }

    /// Goes through the waiting calls; those for which the body is true are over.
    private func finishReads(_ resource: ServedResource, _ now: BootTime, _ body: (PendingRead, Connection) -> Bool) {
        let before = resource.reads.count
        resource.reads.removeAll { read in
            guard let connection = server.connection(read.connection) else { return true }
            guard body(read, connection) else { return false }
            connection.finishCall()
            return true
        }
        guard resource.reads.count != before else { return }
        resource.core.countWaitingRead(resource.reads.count - before)
        settle(resource.device, now)
    }

    private func answer(
        _ connection: Connection, _ sample: Sample, _ name: ResourceName, withSatellites: Bool, _ now: BootTime
    ) {
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        writer.key("reading")
        writer.reading(sample, of: name, withSatellites: withSatellites)
        writer.endReply()
        connection.reply(writer.bytes, now: now)
    }

    private func refuse(_ connection: Connection, _ error: VarlinkError, _ now: BootTime) {
        var writer = JSONWriter(capacity: 128)
        writer.reply(error)
        connection.reply(writer.bytes, now: now)
    }
}

/// A `Read` that waits for a sample made after it was called.
struct PendingRead {
    let connection: ConnectionToken
    let since: BootTime
    let deadline: BootTime
    let withSatellites: Bool
}
