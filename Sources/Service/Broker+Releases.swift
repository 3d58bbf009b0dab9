internal import Admission
internal import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// Releases devices and takes them back, as an administrator orders. Subscriptions stay; they are told in their streams.
extension Broker {
    static let releasedWords = "given up by the administrator; sensorctl reacquire takes it back"

    /// Gives devices up, and answers when they are closed; at the latest after some seconds, without those that hang.
    func release(
        _ connection: Connection, _ scope: ResourceScope, seconds: Int64?, answers: Bool, now: BootTime
    ) {
        releases.release(scope, until: seconds.map { now + $0 * 1_000_000_000 }, among: devices)
        let affected = DeviceReleases.places(in: scope, among: devices).map { resources[$0] }
        applyReleases(now)
        guard answers else { return }
        connection.makeBusy()
        releases.wait(connection.token, for: affected, until: now + Limits.releaseNanoseconds)
        finishReleases(now)
    }

    /// Takes devices back; returns the places of the resources that were given up until now.
    func reacquire(_ scope: ResourceScope, now: BootTime) -> [Int] {
        let places = DeviceReleases.places(in: scope, among: devices)
        let released = places.filter { resources[$0].device.isReleased }
        releases.reacquire(scope, among: devices)
        applyReleases(now)
        return released.filter { !resources[$0].device.isReleased }
    }

    /// Takes back devices whose time of release is over, and answers calls that have waited long enough.
    func expireReleases(_ now: BootTime) {
        if releases.expire(now) { applyReleases(now) }
        finishReleases(now)
    }

    /// Answers the calls of `Release` whose devices are closed, or whose time is over.
    func finishReleases(_ now: BootTime, waitingNoLonger: Bool = false) {
        for answer in releases.takeAnswers(now, waitingNoLonger: waitingNoLonger) {
            guard let connection = server.connection(answer.connection) else { continue }
            for name in answer.hanging {
                journal.write(
                    .warning, "\(name) is not let go: its driver hangs", .driverHangs, [.resource: "\(name)"])
            }
            var writer = JSONWriter(capacity: 256)
            writer.beginReply()
            writer.member("released", answer.released.map(\.description))
            writer.endReply()
            connection.reply(writer.bytes, now: now)
            connection.finishCall()
        }
    }

    /// Has the devices follow what was said.
    func applyReleases(_ now: BootTime) {
        checkpoint?.renew(now: now)
        for device in releases.apply(to: devices) {
            let isReleased = device.isReleased
            for place in device.places {
                let name = "\(resources[place].core.name)"
                journal.write(
                    .notice, "\(name) is \(isReleased ? "given up" : "taken back")",
                    isReleased ? .resourceReleased : .resourceReacquired, [.resource: name])
                if isReleased { failReads(resources[place], Self.releasedWords, now) }
            }
        }
    }
}
