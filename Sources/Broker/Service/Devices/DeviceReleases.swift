internal import Admission
internal import Delivery
internal import Devices
internal import Readings

/// Devices that an administrator releases and takes back, with everything that they own, whichever of their resources
/// was named; and the calls of `Release` that wait until the devices are closed, since the program that the caller
/// starts next may need them.
final class DeviceReleases {
    /// A finished call of `Release`: the resources that were released, and those that were not because a driver hangs.
    struct Answer {
        let connection: ConnectionToken
        let released: [ResourceName]
        let hanging: [ResourceName]
    }

    private struct Waiting {
        let connection: ConnectionToken
        let resources: [ServedResource]
        /// When it is answered in any case, without devices that hang.
        let deadline: BootTime
    }

    /// The administrator's orders that still count.
    private(set) var words = Releases()
    private var waiting: [Waiting] = []

    // MARK: words

    /// Releases devices, until an instant if one is given; `apply` makes them follow.
    func release(_ scope: ResourceScope, until: BootTime?, among devices: [ServedDevice]) {
        for scope in Self.withDevices(scope, devices) { words.release(scope, until: until) }
    }

    /// Takes devices back; `apply` makes them follow.
    func reacquire(_ scope: ResourceScope, among devices: [ServedDevice]) {
        for scope in Self.withDevices(scope, devices) { words.reacquire(scope) }
    }

    /// Continues with the orders that another process received; `apply` makes the devices follow.
    func adopt(_ words: Releases) { self.words = words }

    /// Makes the devices follow the orders; returns those that changed.
    func apply(to devices: [ServedDevice]) -> [ServedDevice] {
        devices.filter { device in
            let isReleased = device.core.resources.contains { words.contain($0.core.name, $0.core.kind) }
            guard isReleased != device.isReleased else { return false }
            device.setReleased(isReleased)
            return true
        }
    }

    /// A resource that has just been added may be covered by a release, and its device with it.
    func apply(to resource: ServedResource) {
        let device = resource.device
        guard !device.isReleased, words.contain(resource.core.name, resource.core.kind) else { return }
        device.setReleased(true)
    }

    /// When an order expires, or a call is answered in any case; nil: never.
    var deadline: BootTime? {
        BootTime.earlier(words.deadline, waiting.map(\.deadline).min())
    }

    /// Drops orders whose time is over; returns whether there was one.
    func expire(_ now: BootTime) -> Bool {
        guard let deadline = words.deadline, now >= deadline else { return false }
        words.expire(now: now)
        return true
    }

    // MARK: waiting calls

    /// A call waits until these resources are released.
    func wait(_ connection: ConnectionToken, for resources: [ServedResource], until deadline: BootTime) {
        waiting.append(Waiting(connection: connection, resources: resources, deadline: deadline))
    }

    /// Takes out the calls that can be answered: their devices are closed or taken back, or their time is over, or
    /// nobody waits any longer.
    func takeAnswers(_ now: BootTime, waitingNoLonger: Bool = false) -> [Answer] {
        var answers: [Answer] = []
        waiting.removeAll { call in
            var closed: [ResourceName] = []
            var open: [ResourceName] = []
            for resource in call.resources {
                // Asked once: the device's thread closes it at any instant, and a resource must not fall between the two.
                if resource.device.channel.isLetGo {
                    closed.append(resource.core.name)
                } else if resource.device.isReleased {
                    open.append(resource.core.name)
                }
            }
            guard open.isEmpty || waitingNoLonger || now >= call.deadline else { return false }
            answers.append(Answer(connection: call.connection, released: closed, hanging: open))
            return true
        }
        return answers
    }

    /// The caller is gone.
    func drop(_ connection: ConnectionToken) { waiting.removeAll { $0.connection == connection } }

    /// The indices of all resources of the devices that have a resource in a scope; derived ones go with their source.
    static func indices(in scope: ResourceScope, among devices: [ServedDevice]) -> [ResourceIndex] {
        affected(by: scope, devices).flatMap(\.resourceIndices).sorted()
    }

    private static func affected(by scope: ResourceScope, _ devices: [ServedDevice]) -> [ServedDevice] {
        devices.filter { device in
            device.core.resources.contains { scope.contains($0.core.name, $0.core.kind) }
        }
    }

    /// A scope, and the other resources of the devices in it: an order for one resource of a device holds for all of
    /// them.
    private static func withDevices(_ scope: ResourceScope, _ devices: [ServedDevice]) -> [ResourceScope] {
        let owned = affected(by: scope, devices).flatMap { $0.core.resources }
        let others = owned.filter { !scope.contains($0.core.name, $0.core.kind) }
        return others.map { .resource($0.core.name) } + [scope]
    }
}
