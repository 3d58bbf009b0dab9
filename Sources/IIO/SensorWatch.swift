public import Devices
public import Platform
internal import Readings

/// Watches which sensors the kernel has, names them and tells their drivers, on a thread of its own.
///
/// Woken by the kernel's uevents; where a sandbox forbids those, it looks every two seconds. A sensor that has just appeared
/// is left to udev first, which sets the rights and knows how it is mounted, but not for longer than a second and a half.
public struct SensorWatch: Sendable {
    private let census = SensorCensus()
    private var rosters: [(kind: Kind, roster: SensorRoster)]
    private var patience = UdevPatience()
    private let drivers: SensorDrivers

    private static let blindPauseNanoseconds: Int64 = 2_000_000_000

    /// Gives the options that are in force, each time that one driver is made anew.
    public typealias Options = @Sendable () -> AccelerometerOptions

    /// Where an address leads at this moment, which for `local:` is nowhere.
    ///
    /// Asked on a driver's thread before each opening. Throws where somebody else has what is there.
    public typealias Admission = @Sendable (IIOAddress) throws(DeviceFault) -> [TCPEndpoint]
    static let anybody: Admission = { (address) throws(DeviceFault) in try address.resolved() }

    /// A driver's own source of options, and its way in.
    public struct Access: Sendable {
        let options: Options
        let admit: Admission

        /// Both, for one driver.
        public init(options: @escaping Options, admit: @escaping Admission) {
            self.options = options
            self.admit = admit
        }
    }

    /// Starts the thread that watches, and the one that drives `accelerometer`. `pthread_create(3)`
    ///
    /// That resource is served already; further sensors are announced as they are found. Each driver is given a source of
    /// options, and a way in, of its own.
    public static func start(
        first channel: DeviceChannel, arrivals: ResourceArrivals, seed: UInt64, access: @escaping @Sendable () -> Access
    ) throws(SystemError) {
        let drivers = SensorDrivers(access, arrivals, seed: seed)
        let first = drivers.add(ResourceName.accelerometer, .acceleration)
        var watch = Self(drivers)
        // Before the first driver looks for its sensor.
        _ = watch.look()
        try drivers.start(first, number: 0, channel)
        let begun = watch
        try Thread.start(name: "iio-watch") {
            var watch = begun
            watch.run()
        }
    }

    private init(_ drivers: SensorDrivers) {
        let chosen = drivers.access().options().chosen
        rosters = Kind.ofIIO.map { ($0, SensorRoster(of: $0, choosing: $0 == .acceleration ? chosen : nil)) }
        self.drivers = drivers
    }

    private mutating func run() {
        do throws(SystemError) {
            let uevents = try UeventSocket()
            run(uevents)
        } catch {
            Journal().write(.warning, "\(error): unplugged sensors are noticed late; allow AF_NETLINK")
            while true {
                _ = Wait.untilReadable(-1, nanoseconds: look() ?? Self.blindPauseNanoseconds)
            }
        }
    }

    private mutating func run(_ uevents: borrowing UeventSocket) {
        // What happened before the socket listened.
        var pause = look()
        while true {
            let isAwake = Wait.untilReadable(uevents.number, nanoseconds: pause).first
            guard !isAwake || Self.concernsSensors(uevents) else { continue }
            pause = look()
        }
    }

    /// Takes all that is waiting: one look serves them.
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

    /// Tells the drivers what has changed; returns after how long to look again even if nothing is said, nil: never.
    private mutating func look() -> Int64? {
        let now = Clock.bootNanoseconds()
        let ready = patience.ready(among: census.sightings(), at: now)
        for place in rosters.indices {
            let kind = rosters[place].kind
            for index in rosters[place].roster.update(ready.filter { $0.kind == kind }) {
                let seat = rosters[place].roster.places[index]
                drivers.assignment(of: seat.name, kind, number: index).update(seat.sighting)
            }
            guard kind == .acceleration else { continue }
            drivers.assignment(of: .accelerometer, kind, number: 0).update(rosters[place].roster.unmetChoice)
        }
        return patience.pauseNanoseconds
    }
}

/// The drivers of this host's sensors: which there are, and how the thread of one is started.
private final class SensorDrivers: Sendable {
    let access: @Sendable () -> SensorWatch.Access
    private let arrivals: ResourceArrivals
    private let seed: UInt64
    private let assignments = Locked<[ResourceName: SensorAssignment]>([:])

    init(_ access: @escaping @Sendable () -> SensorWatch.Access, _ arrivals: ResourceArrivals, seed: UInt64) {
        self.access = access
        self.arrivals = arrivals
        self.seed = seed
    }

    /// The assignment of a resource that is served already.
    func add(_ name: ResourceName, _ kind: Kind) -> SensorAssignment {
        let assignment = SensorAssignment(kind)
        assignments.withLock { $0[name] = assignment }
        return assignment
    }

    /// The assignment of a resource; one that is new is announced.
    @discardableResult
    func assignment(of name: ResourceName, _ kind: Kind, number: Int) -> SensorAssignment {
        let (assignment, isNew) = assignments.withLock { assignments in
            if let known = assignments[name] { return (known, false) }
            let assignment = SensorAssignment(kind)
            assignments[name] = assignment
            return (assignment, true)
        }
        guard isNew else { return assignment }
        arrivals.announce(
            ResourceArrival(name: name, kind: kind, isSimulated: false) { [self] channel throws(SystemError) in
                try start(assignment, number: number, channel)
            })
        return assignment
    }

    func start(_ assignment: SensorAssignment, number: Int, _ channel: DeviceChannel) throws(SystemError) {
        let (access, kind) = (access(), assignment.kind)
        assignment.attach(channel)
        let name = kind == .acceleration ? "iio" : kind.row.resource
        try DeviceThread.start(
            name: number == 0 ? name : "\(name):\(number)", channel: channel, seed: seed &+ UInt64(number)
        ) { [self] in
            IIOSensor(access.options(), assignment, isFirst: number == 0, admit: access.admit) { [self] kind in
                self.assignment(of: kind.row.firstResource, kind, number: 0)
            }
        }
    }
}
