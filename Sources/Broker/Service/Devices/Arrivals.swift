internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// How resources come: at the start, and while the broker runs.
///
/// No resource is ever removed: if its device is gone, it is unavailable, and keeps its index.
final class Arrivals {
    private let catalog: Catalog
    private let server: Server
    private let journal: Journal
    private let devices: DeviceService
    private let derivations: Derivations
    private let derived: DerivedArrivals
    private let releases: DeviceReleases
    private let list: ListService
    private let sink: BrokerSink
    private let moves: ResourceMoves
    /// Sensors that have come while programs had their names, or those of the sensors on whose devices they are.
    private var postponed: [(name: ResourceName, arrival: ResourceArrival)] = []
    /// Called with the names.
    var didPostpone: (ResourceName, BootTime) -> Void = { _, _ in }
    /// Whether a resource was refused because there are too many: reported once.
    private var hasRefused = false

    init(_ context: ServiceContext, _ devices: DeviceService, _ list: ListService, _ sink: BrokerSink) {
        catalog = context.catalog
        server = context.server
        journal = context.journal
        derivations = devices.derivations
        releases = devices.releases.devices
        self.devices = devices
        self.list = list
        self.sink = sink
        moves = ResourceMoves(context.catalog, sink)
        derived = DerivedArrivals(context.catalog, devices.derivations, moves, sink)
    }

    // MARK: what is added

    /// Adds what can be derived from the resources that are served now.
    func addDerived(_ now: BootTime) throws(SystemError) { _ = try derived.add(now) }

    /// Adds a resource and the device that owns it; `start` starts the device's thread, which uses the channel.
    func add(
        _ name: ResourceName, _ quantity: Quantity, _ device: ServedDevice,
        start: (DeviceChannel) throws(SystemError) -> Void = { _ in }
    ) throws(SystemError) {
        let resource = makeResource(name, quantity, of: device)
        try begin(device, start)
        // Last, so that a resource whose thread did not start is not served and can be announced again.
        catalog.add(device)
        catalog.add(resource, of: device)
    }

    /// Adds a further resource to the device that owns another one.
    ///
    /// Returns false, and does nothing, if there is no such device or it has a resource for that already.
    func add(_ name: ResourceName, _ quantity: Quantity, ofDeviceOf other: ResourceName) -> Bool {
        guard catalog.index(of: name) == nil, let device = catalog.device(of: other, lacking: quantity) else {
            return false
        }
        let resource = makeResource(name, quantity, of: device)
        _ = resource.core.accept(device.core.state(of: resource))
        catalog.add(resource, of: device)
        return true
    }

    /// Adds a resource that clients of the previous daemon use and that has not been found again yet.
    ///
    /// If there is no room for it, it is dropped.
    func expect(_ name: ResourceName, _ kind: Kind) {
        guard catalog.resources.count < Limits.resources, let channel = try? DeviceChannel(),
            (try? add(name, Quantity(kind), ServedDevice(channel, from: .awaited, isSimulated: false))) != nil
        else { return }
        channel.send(.state(.unavailable(reason: "it has not been found again since the broker was restarted")))
    }

    /// Makes a resource and applies configuration and releases to it, before a thread starts that reads both.
    private func makeResource(_ name: ResourceName, _ quantity: Quantity, of device: ServedDevice) -> OwnedResource {
        let resource = OwnedResource(
            Resource(name: name, kind: quantity.kind, input: quantity.input), at: catalog.nextIndex)
        device.core.adopt(resource)
        configure(resource, of: device)
        return resource
    }

    private func configure(_ resource: OwnedResource, of device: ServedDevice) {
        catalog.applyPolicy(to: resource, of: device)
        releases.apply(to: resource, of: device)
    }

    private func begin(
        _ device: ServedDevice, _ start: (DeviceChannel) throws(SystemError) -> Void
    ) throws(SystemError) {
        try watch(device)
        do throws(SystemError) { try start(device.channel) } catch {
            server.unwatch(device.channel.wakeDescriptor)
            throw error
        }
    }

    private func watch(_ device: ServedDevice) throws(SystemError) {
        try server.watch(device.channel.wakeDescriptor) { [unowned self] now in
            devices.takeEvents(of: device, isSignalled: true, to: sink, now)
        }
        // The channel belongs to the device, which is there as long as its thread may do a turn.
        device.channel.setStandIn(
            server.standIn { [unowned self, unowned device] now in devices.takeEvents(of: device, to: sink, now) })
    }

    // MARK: what programs provide

    /// Takes the events of a device that follows its channel in the loop; `follow` is called when there are commands for it.
    func begin(inLoop device: ServedDevice, _ follow: @escaping (BootTime) -> Void) throws(SystemError) {
        try server.watch(device.channel.commandDescriptor, follow)
        do throws(SystemError) { try watch(device) } catch {
            server.unwatch(device.channel.commandDescriptor)
            throw error
        }
        catalog.add(device)
    }

    /// A device provides these resources from now on, whoever has had them until now.
    func serve(_ resources: [(name: ResourceName, kind: Kind)], by device: ServedDevice, _ now: BootTime)
        throws(SystemError)
    {
        for (name, kind) in resources {
            if let known = catalog.index(of: name).map({ catalog[$0] }) {
                guard catalog.device(of: known.index) !== device else { continue }
                move(known, 0, to: device, now)
            } else {
                catalog.add(makeResource(name, Quantity(kind), of: device), of: device)
                list.change(now)
            }
        }
        try derive(now)
    }

    /// Programs have these names no longer: serves the sensors that have come meanwhile, and what can be derived.
    func serveInstead(of names: [ResourceName], _ now: BootTime) {
        let waiting = postponed.filter { names.contains($0.name) }
        postponed.removeAll { names.contains($0.name) }
        for (_, arrival) in waiting { serve(arrival, now) }
        deriveMore(now)
    }

    private func deriveMore(_ now: BootTime) {
        do throws(SystemError) { try derive(now) } catch {
            journal.write(.error, "what follows from the sensors cannot be served: \(error)")
        }
    }

    /// After resources have come or moved: adds what can be derived now, and forgets who was awaited for them.
    private func derive(_ now: BootTime) throws(SystemError) {
        if try derived.add(now) { list.change(now) }
        for device in catalog.devices where device.isAwaited { _ = removeEmpty(device) }
    }

    /// Whether a program has a name, now.
    private func isProvided(_ name: ResourceName) -> Bool {
        catalog.index(of: name).map { catalog.device(of: $0).isProvided } ?? false
    }

    /// Keeps an arrival until no program has a name that it needs; returns whether one has.
    private func postpone(_ arrival: ResourceArrival, _ now: BootTime) -> Bool {
        var needed = [arrival.name]
        if case .deviceOf(let other) = arrival.origin { needed.append(other) }
        guard let name = needed.first(where: isProvided) else { return false }
        if !postponed.contains(where: { $0.arrival.name == arrival.name }) { postponed.append((name, arrival)) }
        didPostpone(name, now)
        return true
    }

    /// Whose name a program had has it back.
    func giveBack(_ name: ResourceName, to device: ServedDevice, at input: UInt8, _ now: BootTime) {
        guard let resource = catalog.index(of: name).map({ catalog[$0] }) else { return }
        let former = catalog.device(of: resource.index)
        guard former !== device else { return }
        // What it has measured meanwhile is nobody's.
        devices.takeEvents(of: device, to: sink, now)
        move(resource, input, to: device, now)
        device.core.reportStates(to: sink, now: now)
    }

    /// Forgets a device without a thread whose resources are all another's; returns whether it was one.
    func removeEmpty(_ device: ServedDevice) -> Bool {
        guard !device.hasThread, device.core.resources.isEmpty else { return false }
        server.unwatch(device.channel.wakeDescriptor)
        server.unwatch(device.channel.commandDescriptor)
        catalog.remove(device)
        return true
    }

    // MARK: what is announced

    func serve(_ arrivals: ResourceArrivals) throws(SystemError) {
        try server.watch(arrivals.wakeDescriptor) { [unowned self] now in
            take(arrivals, now)
        }
    }

    func take(_ arrivals: ResourceArrivals, _ now: BootTime) {
        for announcement in arrivals.take() {
            switch announcement {
            case .arrival(let arrival): serve(arrival, now)
            case .source(let source): derivations.derive(from: source, to: sink, now)
            case .hinge(let sources): derived.derive(from: sources, now)
            }
        }
        deriveMore(now)
    }

    private func serve(_ arrival: ResourceArrival, _ now: BootTime) {
        guard !postpone(arrival, now) else { return }
        let known = catalog.index(of: arrival.name).map { catalog[$0] }
        // What was derived gives way to a device that measures it, and so does what nobody provides.
        if let known, catalog.device(of: known.index).hasThread || known.kind != arrival.kind { return }
        guard known != nil || catalog.resources.count < Limits.resources else { return refuse(arrival) }
        do throws(SystemError) {
            switch arrival.origin {
            case .device(let start): try serve(arrival, known, now, start)
            case .deviceOf(let other):
                guard serve(arrival, known, ofDeviceOf: other, now) else {
                    let words = "there is no \(other), or its device has one for that already"
                    return journal.write(.error, "\(arrival.name) cannot be served: \(words)")
                }
            }
        } catch {
            return journal.write(.error, "\(arrival.name) cannot be served: \(error)")
        }
        // Clients of the previous daemon have it already.
        journal.write(.notice, "serving \(arrival.name)\(known == nil ? "" : " again")")
        if known == nil { list.change(now) }
    }

    private func serve(
        _ arrival: ResourceArrival, _ known: OwnedResource?, _ now: BootTime,
        _ start: (DeviceChannel) throws(SystemError) -> Void
    ) throws(SystemError) {
        guard let known else {
            let device = ServedDevice(try DeviceChannel(), isSimulated: arrival.isSimulated)
            return try add(arrival.name, arrival.quantity, device, start: start)
        }
        let former = catalog.device(of: known.index)
        guard !former.isAwaited else {
            known.move(to: arrival.quantity.input)
            try start(former.channel)
            former.source = .thread
            return
        }
        let device = ServedDevice(try DeviceChannel(), isSimulated: arrival.isSimulated)
        // As of a new resource: before a thread starts that reads both.
        configure(known, of: device)
        try begin(device, start)
        catalog.add(device)
        move(known, arrival.quantity.input, to: device, now)
    }

    private func move(_ resource: OwnedResource, _ input: UInt8, to device: ServedDevice, _ now: BootTime) {
        // Before the other device adopts it, since that has one resource for each input.
        resource.move(to: input)
        moves.move(resource, to: device, now) { configure(resource, of: device) }
    }

    private func serve(
        _ arrival: ResourceArrival, _ known: OwnedResource?, ofDeviceOf other: ResourceName, _ now: BootTime
    ) -> Bool {
        guard let known else { return add(arrival.name, arrival.quantity, ofDeviceOf: other) }
        guard let device = catalog.device(of: other, lacking: arrival.quantity) else { return false }
        move(known, arrival.quantity.input, to: device, now)
        return true
    }

    private func refuse(_ arrival: ResourceArrival) {
        guard !hasRefused else { return }
        hasRefused = true
        let words = "there are \(Limits.resources) resources already"
        journal.write(.warning, "\(arrival.name) and further ones are not served: \(words)")
    }
}
