public import Devices
public import Platform
internal import Readings

/// Watches which sensors the kernel has, names them and informs their drivers, on a thread of its own.
///
/// Woken by the kernel's uevents; if a sandbox forbids those, it looks every two seconds. A sensor that has just
/// appeared is left to udev first, which sets the rights and knows how it is mounted, but for no longer than a second
/// and a half. While another host's sensors are served, this host's get no names: each name belongs to one device.
public struct SensorWatch: Sendable {
    private var roster: SensorRoster
    private var patience = UdevPatience()
    private let drivers: SensorDrivers

    private static let blindPauseNanoseconds: Int64 = 2_000_000_000

    /// Returns the options in force, each time that a driver is made again.
    public typealias Options = @Sendable () -> SensorOptions

    /// The endpoints of an address at this moment; none for `local:`.
    ///
    /// Called on a driver's thread before each opening. Throws if another instance has the sensors there.
    public typealias Admission = @Sendable (IIOAddress) throws(DeviceFault) -> [TCPEndpoint]
    static let anybody: Admission = { (address) throws(DeviceFault) in try address.resolved() }

    /// A driver's source of options, and its admission.
    public typealias Access = (options: Options, admit: Admission)

    /// Starts the thread that watches, and the one that drives `accelerometer`. `pthread_create(3)`
    ///
    /// That resource is served already; further sensors are announced as they are found. Each driver gets a source of
    /// options and an admission of its own.
    public static func start(
        first channel: DeviceChannel, arrivals: ResourceArrivals, seed: UInt64, access: @escaping @Sendable () -> Access
    ) throws(SystemError) {
        let drivers = try SensorDrivers(access, arrivals, seed: seed)
        var watch = Self(drivers)
        // Before the first driver looks for its sensor.
        watch.look()
        try drivers.startFirst(channel)
        let begun = watch
        try Thread.start(name: "iio-watch") {
            var watch = begun
            watch.run()
        }
    }

    private init(_ drivers: SensorDrivers) {
        let options = drivers.access().options()
        roster = SensorRoster(choosing: options.chosen)
        drivers.use(options.address)
        self.drivers = drivers
    }

    private mutating func run() {
        do throws(SystemError) {
            let uevents = try UeventSocket()
            run(uevents)
        } catch {
            Journal().write(.warning, "\(error): unplugged sensors are noticed late; allow AF_NETLINK")
            while true {
                look()
                _ = wait(for: -1, nanoseconds: pauseNanoseconds ?? Self.blindPauseNanoseconds)
            }
        }
    }

    private mutating func run(_ uevents: borrowing UeventSocket) {
        // Catches what happened before the socket listened.
        look()
        while true {
            let ready = wait(for: uevents.number, nanoseconds: pauseNanoseconds)
            let isConcerned = ready.first && Self.concernsSensors(uevents)
            // Messages of other devices do not put off the next look, however many come.
            if isConcerned || ready.second || pauseNanoseconds == 0 { look() }
        }
    }

    /// Waits for messages, or until the sensors are those of another host, or of this one again.
    private func wait(for messages: Int32, nanoseconds: Int64?) -> Wait.Ready {
        let ready = Wait.untilReadable(messages, drivers.moved.descriptor, nanoseconds: nanoseconds)
        if ready.second { drivers.moved.clear() }
        return ready
    }

    private var pauseNanoseconds: Int64? { patience.pauseNanoseconds(at: Clock.bootNanoseconds()) }

    /// Takes all waiting messages: one look serves them all.
    private static func concernsSensors(_ uevents: borrowing UeventSocket) -> Bool {
        var concerned = false
        while true {
            switch uevents.receive() {
            case .message(let bytes): concerned = Uevent(bytes)?.concernsSensors ?? false || concerned
            case .overrun: concerned = true
            case .nothing: return concerned
            }
        }
    }

    /// Informs the drivers of changes.
    private mutating func look() {
        let now = Clock.bootNanoseconds()
        let ready = patience.ready(among: drivers.isLocal ? Sighting.all() : [], at: now)
        let hadRefusal = roster.refusal != nil
        for index in roster.update(ready) {
            let entry = roster.entries[index]
            drivers.serve(entry.named)?.update(entry.sighting)
        }
        if let refusal = roster.refusal, !hadRefusal { Journal().write(.warning, refusal) }
        drivers.first.update(roster.unmetChoice)
        drivers.announceSources(among: roster.accelerometers)
    }
}

/// The drivers of sensors, one for each device: which exist, how their threads are started, and which resources they
/// have.
private final class SensorDrivers: Sendable {
    private struct State {
        /// By the first resource of each device.
        var assignments: [ResourceName: SensorAssignment]
        var names: Set<ResourceName>
        /// From which of this host's accelerometers the orientation follows.
        var screenSensor = DerivationSource.first(.acceleration)
        /// The one that is there and turns the screen.
        var inUse: ResourceName?
        /// Whether the sensors are those of this host.
        var isLocal = true
        /// What was announced last.
        var announced: DerivationSource?
        var announcedHinge: HingeSources?
    }

    let access: @Sendable () -> SensorWatch.Access
    /// The assignment of `accelerometer`, which is served from the start.
    let first = SensorAssignment(.acceleration)
    /// Set when the sensors are those of another host, or of this one again.
    let moved: WakeEvent
    private let arrivals: ResourceArrivals
    private let seed: UInt64
    private let state: Locked<State>

    init(
        _ access: @escaping @Sendable () -> SensorWatch.Access, _ arrivals: ResourceArrivals, seed: UInt64
    ) throws(SystemError) {
        moved = try WakeEvent()
        self.access = access
        self.arrivals = arrivals
        self.seed = seed
        state = Locked(State(assignments: [.accelerometer: first], names: [.accelerometer]))
    }

    /// The assignment of the device that has these resources; new ones are announced.
    ///
    /// nil if the first of them belongs to another device: a resource stays with the device on which it was first
    /// found.
    @discardableResult
    func serve(_ named: [SensorRoster.NamedQuantity]) -> SensorAssignment? {
        guard let starter = named.first else { return nil }
        let (found, new, number) = state.withLock { state in
            let new = named.filter { !state.names.contains($0.name) }
            if new.first == starter { state.assignments[starter.name] = SensorAssignment(starter.kind) }
            let assignment = state.assignments[starter.name]
            if assignment != nil { state.names.formUnion(new.map(\.name)) }
            return (assignment, new, state.assignments.count - 1)
        }
        guard let found else { return nil }
        found.serves(named)
        for one in new {
            var origin = ResourceArrival.Origin.deviceOf(starter.name)
            if one == starter {
                origin = .device { [self] channel throws(SystemError) in
                    try start(found, one, number: number, channel)
                }
            }
            arrivals.put(.arrival(ResourceArrival(one.name, one.quantity, from: origin)))
        }
        return found
    }

    /// Announces from which accelerometers the orientation and the angle of the hinge follow, unless that is known.
    func announceSources(among accelerometers: [SensorRoster.Accelerometer]) {
        state.withLock { state in
            state.screenSensor = ScreenSensor.source(among: accelerometers, after: state.inUse)
            state.inUse = accelerometers.isEmpty ? nil : state.screenSensor.name
            announceScreenSensor(&state)
            announceHinge(among: accelerometers, &state)
        }
    }

    private func announceHinge(among accelerometers: [SensorRoster.Accelerometer], _ state: inout State) {
        let sources = HingeSources(among: accelerometers, lid: state.inUse, after: state.announcedHinge)
        guard state.isLocal, let sources, sources != state.announcedHinge else { return }
        state.announcedHinge = sources
        arrivals.put(.hinge(sources))
    }

    /// Whether the sensors are those of this host.
    var isLocal: Bool { state.withLock { $0.isLocal } }

    /// The sensors are those of this host, or of another one.
    func use(_ address: IIOAddress) {
        state.withLock { state in
            guard state.isLocal != (address == .local) else { return }
            state.isLocal.toggle()
            if state.announced != nil { announceScreenSensor(&state) }
            moved.signal()
        }
    }

    /// Of another host only the first accelerometer is served, and what its udev has is not known.
    private func announceScreenSensor(_ state: inout State) {
        let source = state.isLocal ? state.screenSensor : .first(.acceleration)
        guard source != state.announced else { return }
        state.announced = source
        arrivals.put(.source(source))
    }

    /// Starts the driver of `accelerometer`.
    func startFirst(_ channel: DeviceChannel) throws(SystemError) {
        try start(
            first, SensorRoster.NamedQuantity(name: .accelerometer, quantity: Quantity(.acceleration)), number: 0,
            channel)
    }

    private func start(
        _ assignment: SensorAssignment, _ one: SensorRoster.NamedQuantity, number: Int, _ channel: DeviceChannel
    ) throws(SystemError) {
        let access = access()
        assignment.attach(channel)
        let word = one.kind == .acceleration ? "iio" : one.kind.row.resource
        let suffix = "\(one.name)".drop { $0 != ":" }
        try DeviceThread.start(name: word + suffix, channel: channel, seed: seed &+ UInt64(number)) { [self] in
            let options = access.options()
            use(options.address)
            return IIOSensor(
                options, assignment, isFirst: one.name == one.kind.row.firstResource, admit: access.admit
            ) { [self] quantities in
                // Each kind comes from one device there, so its inputs are all that there is of the kind.
                serve(
                    quantities.compactMap { quantity in
                        quantity.kind.row.resourceName(Int(quantity.input)).map {
                            SensorRoster.NamedQuantity(name: $0, quantity: quantity)
                        }
                    })
            }
        }
    }
}

/// A kernel message about a device that came, went or changed.
struct Uevent: Equatable {
    /// What happened: `add`, `remove`, `change` and others.
    let action: String
    let subsystem: String
    /// `iio_device` for devices; triggers, which are in the same subsystem, have none.
    let type: String?

    /// Reads `ACTION@DEVPATH` and assignments, each ended by a zero byte; nil for anything else.
    init?(_ bytes: some Sequence<UInt8>) {
        var values: [String: String] = [:]
        for field in Array(bytes).split(separator: 0) {
            let parts = String(decoding: field, as: UTF8.self).split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        guard let action = values["ACTION"], let subsystem = values["SUBSYSTEM"] else { return nil }
        self.action = action
        self.subsystem = subsystem
        type = values["DEVTYPE"]
    }

    var concernsSensors: Bool { subsystem == "iio" && type == "iio_device" }
}
