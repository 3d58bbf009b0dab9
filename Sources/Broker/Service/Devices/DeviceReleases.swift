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
        let resources: [ResourceIndex]
        /// What was released and is not served at present: nobody has it open.
        let absent: [ResourceName]
        /// When the call is answered in any case, without devices that hang.
        let deadline: BootTime
    }

    /// The administrator's orders that still count.
    private(set) var orders = Releases() { didSet { setDeadline() } }
    private let catalog: Catalog
    private var waiting: [Waiting] = [] {
        didSet {
            hasWaiting = !waiting.isEmpty
            setDeadline()
        }
    }
    private var hasWaiting = false
    /// When an order expires, or a call is answered in any case; nil: never.
    // Each turn asks for it, so it is worked out when one of them changes.
    private(set) var deadline: BootTime?

    init(_ catalog: Catalog) { self.catalog = catalog }

    // MARK: orders

    /// Releases devices, until an instant if one is given; `apply` makes them follow.
    func release(_ scope: ResourceScope, until: BootTime?) {
        for scope in withDevices(scope) { orders.release(scope, until: until) }
    }

    /// Takes devices back; `apply` makes them follow.
    func reacquire(_ scope: ResourceScope) { for scope in withDevices(scope) { orders.reacquire(scope) } }

    /// Continues with the orders that another process received; `apply` makes the devices follow.
    func adopt(_ orders: Releases) { self.orders = orders }

    /// Makes the devices follow the orders; returns those that changed.
    func apply() -> [ServedDevice] {
        catalog.devices.filter { device in
            let isReleased = device.core.resources.contains { orders.contain($0.name, $0.kind) }
            guard isReleased != device.isReleased else { return false }
            device.setReleased(isReleased)
            return true
        }
    }

    /// A resource that has just been added may be covered by a release, and its device with it.
    func apply(to resource: OwnedResource, of device: ServedDevice) {
        guard !device.isReleased, orders.contain(resource.name, resource.kind) else { return }
        device.setReleased(true)
    }

    private func setDeadline() { deadline = BootTime.earlier(orders.deadline, waiting.map(\.deadline).min()) }

    /// Drops orders whose time is over; returns whether there was one.
    func expire(_ now: BootTime) -> Bool {
        guard let deadline = orders.deadline, now >= deadline else { return false }
        orders.expire(now: now)
        return true
    }

    // MARK: waiting calls

    /// A call waits until these resources are released.
    func wait(
        _ connection: ConnectionToken, for resources: [ResourceIndex], absent: [ResourceName] = [],
        until deadline: BootTime
    ) {
        waiting.append(Waiting(connection: connection, resources: resources, absent: absent, deadline: deadline))
    }

    /// What a call waits for; nil: it waits for nothing.
    func waiting(_ connection: ConnectionToken) -> [ResourceName]? {
        waiting.first { $0.connection == connection }.map { call in
            call.absent + call.resources.map { catalog[$0].name }
        }
    }

    /// Takes out the calls that can be answered: their devices are closed or taken back, or their time is over.
    func takeAnswers(_ now: BootTime) -> [Answer] {
        // Each delivery asks.
        guard hasWaiting else { return [] }
        var answers: [Answer] = []
        waiting.removeAll { call in
            var closed = call.absent
            var open: [ResourceName] = []
            for index in call.resources {
                let device = catalog.device(of: index)
                // Asked once: the device's thread closes it at any instant, and a resource must not fall between the two.
                if device.isAwaited || device.channel.isLetGo {
                    closed.append(catalog[index].name)
                } else if device.isReleased {
                    open.append(catalog[index].name)
                }
            }
            guard open.isEmpty || now >= call.deadline else { return false }
            answers.append(Answer(connection: call.connection, released: closed, hanging: open))
            return true
        }
        return answers
    }

    func drop(_ connection: ConnectionToken) {
        if hasWaiting { waiting.removeAll { $0.connection == connection } }
    }

    // MARK: scopes

    /// The indices of all resources of the devices that have a resource in a scope; derived ones are in none: they follow
    /// their source.
    func indices(in scope: ResourceScope) -> [ResourceIndex] { affected(by: scope).map(\.index).sorted() }

    private func affected(by scope: ResourceScope) -> [OwnedResource] {
        catalog.devices.map(\.core.resources).filter { $0.contains { scope.contains($0.name, $0.kind) } }.flatMap { $0 }
    }

    /// A scope, and the other resources of the devices in it: an order for one resource of a device holds for all of
    /// them.
    private func withDevices(_ scope: ResourceScope) -> [ResourceScope] {
        affected(by: scope).filter { !scope.contains($0.name, $0.kind) }.map { .resource($0.name) } + [scope]
    }
}
