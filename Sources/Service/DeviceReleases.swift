internal import Admission
internal import Delivery
internal import Devices
internal import Readings

/// Devices that an administrator gives up and takes back, with all that they own, whichever of their resources was named; and
/// the calls of `Release` that wait until they are closed, since what the caller starts next may need them.
final class DeviceReleases {
    /// A call of `Release` that is over: which resources have been released, and which are not let go because a driver hangs.
    struct Answer {
        let connection: ConnectionToken
        let released: [ResourceName]
        let hanging: [ResourceName]
    }

    private struct Waiting {
        let connection: ConnectionToken
        let resources: [ServedResource]
        /// When it is answered in any case, without those that hang.
        let deadline: BootTime
    }

    /// What the administrator has said and still counts.
    private(set) var words = Releases()
    private var waiting: [Waiting] = []

    // MARK: words

    /// Gives devices up, for a time if an instant is given; `apply` has them follow.
    func release(_ scope: ResourceScope, until: BootTime?, among devices: [ServedDevice]) {
        for scope in Self.withDevices(scope, devices) { words.release(scope, until: until) }
    }

    /// Takes devices back; `apply` has them follow.
    func reacquire(_ scope: ResourceScope, among devices: [ServedDevice]) {
        for scope in Self.withDevices(scope, devices) { words.reacquire(scope) }
    }

    /// Goes on with what was said to another process; `apply` has the devices follow.
    func adopt(_ words: Releases) { self.words = words }

    /// Has the devices follow what was said; returns those that do otherwise than before.
    func apply(to devices: [ServedDevice]) -> [ServedDevice] {
        devices.filter { device in
            let isReleased = device.core.resources.contains { words.contain($0.core.name, $0.core.kind) }
            guard isReleased != device.isReleased else { return false }
            device.setReleased(isReleased)
            return true
        }
    }

    /// A resource that has just been added may be one of those given up, and its device with it.
    func apply(to resource: ServedResource) {
        let device = resource.device
        guard !device.isReleased, words.contain(resource.core.name, resource.core.kind) else { return }
        device.setReleased(true)
    }

    /// When something is taken back by itself, or a call is answered in any case; nil: never.
    var deadline: BootTime? {
        BootTime.earlier(words.deadline, waiting.map(\.deadline).min())
    }

    /// Forgets orders whose time is over; returns whether there was one.
    func expire(_ now: BootTime) -> Bool {
        guard let deadline = words.deadline, now >= deadline else { return false }
        words.expire(now: now)
        return true
    }

    // MARK: calls that wait

    /// A call waits until these are let go.
    func wait(_ connection: ConnectionToken, for resources: [ServedResource], until deadline: BootTime) {
        waiting.append(Waiting(connection: connection, resources: resources, deadline: deadline))
    }

    /// Takes out the calls that can be answered: their devices are closed or taken back, or their time is over, or nobody waits
    /// any longer.
    func takeAnswers(_ now: BootTime, waitingNoLonger: Bool = false) -> [Answer] {
        var answers: [Answer] = []
        waiting.removeAll { call in
            let closed = call.resources.filter { $0.device.channel.isLetGo }
            let open = call.resources.filter { $0.device.isReleased && !$0.device.channel.isLetGo }
            guard open.isEmpty || waitingNoLonger || now >= call.deadline else { return false }
            answers.append(
                Answer(
                    connection: call.connection, released: closed.map { $0.core.name },
                    hanging: open.map { $0.core.name }))
            return true
        }
        return answers
    }

    /// The caller is gone.
    func drop(_ connection: ConnectionToken) { waiting.removeAll { $0.connection == connection } }

    /// The places of all resources of those devices of which some resource is in a scope; derived ones go with their source.
    static func places(in scope: ResourceScope, among devices: [ServedDevice]) -> [Int] {
        affected(by: scope, devices).flatMap(\.places).sorted()
    }

    private static func affected(by scope: ResourceScope, _ devices: [ServedDevice]) -> [ServedDevice] {
        devices.filter { device in
            device.core.resources.contains { scope.contains($0.core.name, $0.core.kind) }
        }
    }

    /// A scope, and what else the devices in it own: a word on one resource of a device is one on all of them.
    private static func withDevices(_ scope: ResourceScope, _ devices: [ServedDevice]) -> [ResourceScope] {
        let owned = affected(by: scope, devices).flatMap { $0.core.resources }
        let others = owned.filter { !scope.contains($0.core.name, $0.core.kind) }
        return others.map { .resource($0.core.name) } + [scope]
    }
}
