internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// Releases devices and takes them back, as an administrator orders.
///
/// Subscriptions stay; they are informed in their streams. This class informs devices, journal and callers.
final class ReleaseService {
    static let releasedWords = "released by the administrator; to take it back: sensorctl reacquire"

    /// The orders, and the calls that wait.
    let devices: DeviceReleases
    private let catalog: Catalog
    private let clients: Clients
    private let journal: Journal
    private let checkpoint: Checkpoint

    init(_ context: ServiceContext) {
        catalog = context.catalog
        devices = DeviceReleases(catalog)
        clients = context.clients
        journal = context.journal
        checkpoint = context.checkpoint
    }

    /// Releases devices, for a number of seconds if one is given.
    func release(_ scope: ResourceScope, seconds: Int64?, to sink: BrokerSink, now: BootTime) {
        devices.release(scope, until: seconds.map { now + $0 * 1_000_000_000 })
        apply(to: sink, now)
    }

    /// Answers a call when the devices in a scope are closed; after some seconds at the latest, without those that
    /// hang.
    func answer(_ connection: Connection, whenClosed scope: ResourceScope, now: BootTime) {
        connection.makeBusy()
        devices.wait(connection.token, for: devices.indices(in: scope), until: now + Limits.releaseNanoseconds)
        finish(now)
    }

    /// Goes on with a call that the previous daemon did not answer.
    func takeUp(_ names: [ResourceName], _ connection: Connection, now: BootTime) {
        connection.makeBusy()
        let indices = names.compactMap(catalog.index(of:))
        let absent = names.filter { catalog.index(of: $0) == nil }
        devices.wait(connection.token, for: indices, absent: absent, until: now + Limits.releaseNanoseconds)
        finish(now)
    }

    /// Takes devices back; returns the names of the resources that were released until now.
    func reacquire(_ scope: ResourceScope, to sink: BrokerSink, now: BootTime) -> [ResourceName] {
        let released = devices.indices(in: scope).filter { catalog.device(of: $0).isReleased }
        devices.reacquire(scope)
        apply(to: sink, now)
        return released.filter { !catalog.device(of: $0).isReleased }.map { catalog[$0].name }
    }

    /// Takes back devices whose release has expired, and answers calls that have waited long enough.
    func expire(to sink: BrokerSink, _ now: BootTime) {
        if devices.expire(now) { apply(to: sink, now) }
        finish(now)
    }

    /// Answers the calls of `Release` whose devices are closed, or whose time is over.
    func finish(_ now: BootTime) {
        for answer in devices.takeAnswers(now) {
            guard let connection = clients[answer.connection] else { continue }
            for name in answer.hanging {
                journal.write(
                    .warning, "\(name) is not released: its driver hangs", .driverHangs, [.resource: "\(name)"])
            }
            connection.reply(now: now) { $0.member("released", answer.released.map(\.description)) }
            connection.finishCall()
        }
    }

    /// Makes the devices follow the orders.
    private func apply(to sink: BrokerSink, _ now: BootTime) {
        checkpoint.renew(now: now)
        for device in devices.apply() {
            let isReleased = device.isReleased
            for resource in device.core.resources {
                journal.write(
                    .notice, "\(resource.name) is \(isReleased ? "released" : "taken back")",
                    isReleased ? .resourceReleased : .resourceReacquired, [.resource: "\(resource.name)"])
                if isReleased { resource.failReads(Self.releasedWords, to: sink, now: now) }
            }
        }
    }

    /// Continues with the orders that the previous daemon received.
    func adopt(_ orders: Releases, to sink: BrokerSink, _ now: BootTime) {
        devices.adopt(orders)
        apply(to: sink, now)
    }
}
