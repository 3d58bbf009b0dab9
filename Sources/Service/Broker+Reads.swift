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
        resource.owned.wait(
            WaitingRead(
                connection: connection.token, since: now, deadline: now + timeout, withSatellites: withSatellites))
        settle(resource.device, now)
    }

    private static func isCurrent(
        _ newest: Sample, _ resource: ServedResource, maximumAge: Int64, now: BootTime
    ) -> Bool {
        // What holds until it changes is as good as new, while it is followed.
        if resource.core.kind.row.reporting == .onChange { return resource.core.state == .active }
        return maximumAge > 0 && now - newest.timestamp <= maximumAge
    }

    func failReads(_ resource: ServedResource, _ reason: String, _ now: BootTime) {
        resource.owned.finishReads(sink, now: now) { _ in .failed(reason: reason) }
    }

    /// Those who may not read it any more need not wait.
    func refuseReads(_ index: Int, _ now: BootTime, where isRefused: (Connection) -> Bool) {
        resources[index].owned.finishReads(sink, now: now) { read in
            server.connection(read.connection).map(isRefused) ?? false ? .forbidden : nil
        }
    }

    /// The caller is gone.
    func dropReads(of connection: Connection, now: BootTime) {
        for resource in resources {
            resource.owned.finishReads(sink, now: now) { $0.connection == connection.token ? .dropped : nil }
        }
    }

    func answer(
        _ connection: Connection, _ sample: Sample, _ name: ResourceName, withSatellites: Bool, _ now: BootTime
    ) {
        var writer = JSONWriter(capacity: 512)
        writer.beginReply()
        writer.key("reading")
        writer.reading(sample, of: name, withSatellites: withSatellites)
        writer.endReply()
        connection.reply(writer.bytes, now: now)
    }
}
