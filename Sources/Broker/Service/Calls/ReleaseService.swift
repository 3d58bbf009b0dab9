internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// Releases devices and takes them back, as an administrator orders.
///
/// Subscriptions stay; they are informed in their streams. `DeviceReleases` keeps the orders and the calls that wait;
/// this class informs devices, journal and callers.
final class ReleaseService {
    static let releasedWords = "released by the administrator; to take it back: sensorctl reacquire"

    private let catalog: Catalog
    private let clients: Clients
    private let journal: Journal
    private let reads: ReadService
    private let checkpoint: Checkpoint
    private let releases: DeviceReleases

    init(_ context: ServiceContext, _ reads: ReadService) {
        catalog = context.catalog
        releases = DeviceReleases(catalog)
        clients = context.clients
        journal = context.journal
        checkpoint = context.checkpoint
        self.reads = reads
    }

    /// Releases devices, for a number of seconds if one is given.
    func release(_ scope: ResourceScope, seconds: Int64?, to sink: BrokerSink, now: BootTime) {
        releases.release(scope, until: seconds.map { now + $0 * 1_000_000_000 })
        apply(to: sink, now)
    }

    /// Answers a call when the devices in a scope are closed; after some seconds at the latest, without those that
    /// hang.
    func answer(_ connection: Connection, whenClosed scope: ResourceScope, now: BootTime) {
        connection.makeBusy()
        releases.wait(connection.token, for: releases.indices(in: scope), until: now + Limits.releaseNanoseconds)
        finish(now)
    }

    /// Goes on with a call that the previous daemon did not answer.
    func takeUp(_ names: [ResourceName], _ connection: Connection, now: BootTime) {
        connection.makeBusy()
        let indices = names.compactMap(catalog.index(of:))
        let absent = names.filter { catalog.index(of: $0) == nil }
        releases.wait(connection.token, for: indices, absent: absent, until: now + Limits.releaseNanoseconds)
        finish(now)
    }

    /// What a call waits for; nil: it waits for nothing.
    func waiting(_ connection: ConnectionToken) -> [ResourceName]? { releases.waiting(connection) }

    /// The caller is gone.
    func drop(_ connection: ConnectionToken) { releases.drop(connection) }

    /// Takes devices back; returns the names of the resources that were released until now.
    func reacquire(_ scope: ResourceScope, to sink: BrokerSink, now: BootTime) -> [ResourceName] {
        let released = releases.indices(in: scope).filter { catalog.device(of: $0).isReleased }
        releases.reacquire(scope)
        apply(to: sink, now)
        return released.filter { !catalog.device(of: $0).isReleased }.map { catalog[$0].name }
    }

    /// When an order expires, or a call is answered in any case; nil: never.
    var deadline: BootTime? { releases.deadline }

    /// Takes back devices whose release has expired, and answers calls that have waited long enough.
    func expire(to sink: BrokerSink, _ now: BootTime) {
        if releases.expire(now) { apply(to: sink, now) }
        finish(now)
    }

    /// Answers the calls of `Release` whose devices are closed, or whose time is over.
    func finish(_ now: BootTime) {
        for answer in releases.takeAnswers(now) {
            guard let connection = clients[answer.connection] else { continue }
            for name in answer.hanging {
                journal.write(
                    .warning, "\(name) is not released: its driver hangs", .driverHangs, [.resource: "\(name)"])
            }
            connection.reply(now: now) { $0.member("released", answer.released.map(\.description)) }
            connection.finishCall()
        }
    }

    /// A resource that has just been added may be covered by a release, and its device with it.
    func apply(to resource: OwnedResource, of device: ServedDevice) { releases.apply(to: resource, of: device) }

    /// Makes the devices follow the orders.
    private func apply(to sink: BrokerSink, _ now: BootTime) {
        checkpoint.renew(now: now)
        for device in releases.apply() {
            let isReleased = device.isReleased
            for resource in device.core.resources {
                journal.write(
                    .notice, "\(resource.name) is \(isReleased ? "released" : "taken back")",
                    isReleased ? .resourceReleased : .resourceReacquired, [.resource: "\(resource.name)"])
                if isReleased { reads.fail(resource, Self.releasedWords, to: sink, now) }
            }
        }
    }

    // MARK: what a successor must know

    /// The orders that still hold.
    var orders: Releases { releases.orders }

    /// Continues with the orders that the previous daemon received.
    func adopt(_ orders: Releases, to sink: BrokerSink, _ now: BootTime) {
        releases.adopt(orders)
        apply(to: sink, now)
    }
}
