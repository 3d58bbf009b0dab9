internal import Admission
internal import Delivery
internal import Readings
internal import Varlink

/// `Read`: one reading, and always an answer.
///
/// Waiting reads are kept in the resource that they wait for; this class decides who must wait, and who need not wait
/// any longer.
final class ReadService {
    private let catalog: Catalog
    private let clients: Clients

    init(_ context: ServiceContext) {
        catalog = context.catalog
        clients = context.clients
    }

    /// Answers from the cache if that is fresh enough, which asks nothing of the device; else when the next sample
    /// comes.
    func read(
        _ connection: Connection, _ index: ResourceIndex, maximumAge: Int64, timeout: Int64, withSatellites: Bool,
        to sink: BrokerSink, now: BootTime
    ) throws(VarlinkError) {
        let (resource, device) = (catalog[index], catalog.device(of: index))
        if let newest = resource.core.newest, Self.isCurrent(newest, resource, maximumAge: maximumAge, now: now) {
            return sink.answer(connection, newest, resource.core.name, withSatellites: withSatellites, now)
        }
        guard !device.isReleased else {
            throw .resourceUnavailable(resource.core.name.description, reason: ReleaseService.releasedWords)
        }
        // With demand, the device is being retried, so its state is current. Without, the state may be out of date, and
        // the device is tried now.
        if case .unavailable(let reason) = resource.core.state, device.core.isWanted {
            throw .resourceUnavailable(resource.core.name.description, reason: reason)
        }
        connection.makeBusy()
        resource.wait(
            WaitingRead(
                connection: connection.token, since: now, deadline: now + timeout, withSatellites: withSatellites))
        device.core.settle(to: sink, now: now)
    }

    private static func isCurrent(
        _ newest: Sample, _ resource: OwnedResource, maximumAge: Int64, now: BootTime
    ) -> Bool {
        // A value that holds until it changes is as good as new, as long as the device is followed.
        if resource.core.kind.row.reporting == .onChange { return resource.core.state == .active }
        return maximumAge > 0 && now - newest.timestamp <= maximumAge
    }

    /// Clients that may no longer read a resource need not wait for it.
    func endForbidden(to sink: BrokerSink, _ now: BootTime) {
        for resource in catalog.resources {
            resource.finishReads(sink, now: now) { read in
                guard let connection = clients[read.connection] else { return nil }
                return catalog.rights(of: connection).mayRead(resource.core.kind) ? nil : .forbidden
            }
        }
    }

    func drop(_ connection: ConnectionToken, to sink: BrokerSink, now: BootTime) {
        for resource in catalog.resources {
            resource.finishReads(sink, now: now) { $0.connection == connection ? .dropped : nil }
        }
    }

    /// The read that a connection waits for, and its resource; nil: it waits for none.
    func waiting(_ connection: ConnectionToken) -> (resource: ResourceName, read: WaitingRead)? {
        for resource in catalog.resources {
            guard let read = resource.reads.first(where: { $0.connection == connection }) else { continue }
            return (resource.core.name, read)
        }
        return nil
    }
}
