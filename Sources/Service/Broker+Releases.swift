internal import Admission
internal import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// Devices that an administrator gives up and takes back, with all that they own, whichever of their resources was named.
/// Subscriptions stay; they are told in their streams.
extension Broker {
    static let releasedWords = "given up by the administrator; sensorctl reacquire takes it back"

    /// Gives devices up, and answers when they are closed; at the latest after some seconds, without those that hang.
    func release(
        _ connection: Connection, _ scope: ResourceScope, seconds: Int64?, answers: Bool, now: BootTime
    ) {
        let until = seconds.map { now + $0 * 1_000_000_000 }
        for scope in withDevices(scope) { releases.release(scope, until: until) }
        let affected = places(in: scope)
        applyReleases(now)
        guard answers else { return }
        connection.makeBusy()
        pendingReleases.append(
            PendingRelease(
                connection: connection.token, resources: affected, deadline: now + Limits.releaseNanoseconds))
        finishReleases(now)
    }

    /// Takes devices back; returns the places of those that were given up until now.
    func reacquire(_ scope: ResourceScope, now: BootTime) -> [Int] {
        let released = places(in: scope).filter { resources[$0].device.isReleased }
        for scope in withDevices(scope) { releases.reacquire(scope) }
        applyReleases(now)
        return released.filter { !resources[$0].device.isReleased }
    }

    /// What was given up for a time comes back when it is over.
    func expireReleases(_ now: BootTime) {
        if let deadline = releases.deadline, now >= deadline {
            releases.expire(now: now)
            applyReleases(now)
        }
        if pendingReleases.contains(where: { now >= $0.deadline }) { finishReleases(now) }
    }

    /// Answers the calls of `Release` whose devices are closed, or whose time is over.
    func finishReleases(_ now: BootTime, waitingNoLonger: Bool = false) {
        pendingReleases.removeAll { pending in
            guard let connection = server.connection(pending.connection) else { return true }
            let closed = pending.resources.filter { resources[$0].device.channel.isLetGo }
            // Taken back meanwhile is as good as answered.
            let isOver = pending.resources.allSatisfy { !resources[$0].device.isReleased || closed.contains($0) }
            guard isOver || waitingNoLonger || now >= pending.deadline else { return false }
            for index in pending.resources where resources[index].device.isReleased && !closed.contains(index) {
                let name = "\(resources[index].core.name)"
                journal.write(.warning, "\(name) is not let go: its driver hangs", .driverHangs, [.resource: name])
            }
            var writer = JSONWriter(capacity: 256)
            writer.beginReply()
            writer.member("released", closed.map { resources[$0].core.name.description })
            writer.endReply()
            connection.reply(writer.bytes, now: now)
            connection.finishCall()
            return true
        }
    }

    func dropReleases(of connection: Connection) {
        pendingReleases.removeAll { $0.connection == connection.token }
    }

    /// A resource that has just been added may be one of those given up.
    func applyReleases(to resource: ServedResource) {
        let device = resource.device
        guard !device.isReleased, releases.contain(resource.core.name, resource.core.kind) else { return }
        device.isReleased = true
        device.channel.setReleased(true)
    }

    /// Has the devices follow what was said.
    func applyReleases(_ now: BootTime) {
        checkpoint?.renew(now: now)
        for device in devices {
            let isReleased = device.core.resources.contains { releases.contain($0.core.name, $0.core.kind) }
            guard isReleased != device.isReleased else { continue }
            device.isReleased = isReleased
            device.channel.setReleased(isReleased)
            for place in device.places {
                let name = "\(resources[place].core.name)"
                journal.write(
                    .notice, "\(name) is \(isReleased ? "given up" : "taken back")",
                    isReleased ? .resourceReleased : .resourceReacquired, [.resource: name])
                if isReleased { failReads(resources[place], Self.releasedWords, now) }
            }
        }
    }

    /// A scope, and what else the devices in it own: a word on one resource of a device is one on all of them.
    private func withDevices(_ scope: ResourceScope) -> [ResourceScope] {
        let others = places(in: scope).map { resources[$0] }.filter { !scope.contains($0.core.name, $0.core.kind) }
        return others.map { .resource($0.core.name) } + [scope]
    }

    /// All that the devices own of which some resource is in a scope; what is derived goes with its source.
    private func places(in scope: ResourceScope) -> [Int] {
        let affected = devices.filter { device in
            device.core.resources.contains { scope.contains($0.core.name, $0.core.kind) }
        }
        return affected.flatMap(\.places).sorted()
    }
}

/// A `Release` that waits until the devices are let go: what its caller starts next may need them.
struct PendingRelease {
    let connection: ConnectionToken
    /// The places of the resources.
    let resources: [Int]
    /// When it is answered in any case, without those that hang.
    let deadline: BootTime
}
