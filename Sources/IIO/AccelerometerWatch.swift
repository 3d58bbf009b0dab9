public import Devices
public import Platform
internal import Readings

/// Watches which accelerometers the kernel has, names them and tells their drivers, on a thread of its own.
///
/// Woken by the kernel's uevents; where a sandbox forbids those, it looks every two seconds. A sensor that has just appeared
/// is left to udev first, which sets the rights and knows how it is mounted, but not for longer than a second and a half.
public struct AccelerometerWatch: Sendable {
    private let census = SensorCensus()
    private var roster: SensorRoster
    private var assignments: [SensorAssignment] = []
    private var patience = UdevPatience()
    private let arrivals: ResourceArrivals
    private let make: DriverThread

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
        let make = DriverThread(access: access, seed: seed)
        var watch = Self(arrivals, make)
        // Before the first driver looks for its sensor.
        _ = watch.look()
        try make.start(watch.assignments[0], number: 0, channel)
        let begun = watch
        try Thread.start(name: "iio-watch") {
            var watch = begun
            watch.run()
        }
    }

    private init(_ arrivals: ResourceArrivals, _ make: DriverThread) {
        roster = SensorRoster(choosing: make.access().options().chosen)
        assignments = [SensorAssignment()]
        self.arrivals = arrivals
        self.make = make
    }

    private mutating func run() {
        do throws(SystemError) {
            let uevents = try UeventSocket()
            run(uevents)
        } catch {
            Journal().write(.warning, "\(error): unplugged accelerometers are noticed late; allow AF_NETLINK")
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
        for index in roster.update(ready) {
            let place = roster.places[index]
            if index >= assignments.count { announce(place.name, number: index) }
            assignments[index].update(place.sighting)
        }
        assignments[0].update(roster.unmetChoice)
        return patience.pauseNanoseconds
    }

    private mutating func announce(_ name: ResourceName, number: Int) {
        let assignment = SensorAssignment()
        assignments.append(assignment)
        let make = make
        arrivals.announce(
            ResourceArrival(name: name, kind: .acceleration, isSimulated: false) { channel throws(SystemError) in
                try make.start(assignment, number: number, channel)
            })
    }
}

/// How a driver's thread is started.
private struct DriverThread: Sendable {
    let access: @Sendable () -> AccelerometerWatch.Access
    let seed: UInt64

    func start(_ assignment: SensorAssignment, number: Int, _ channel: DeviceChannel) throws(SystemError) {
        let access = access()
        assignment.attach(channel)
        try DeviceThread.start(
            name: number == 0 ? "iio" : "iio:\(number)", channel: channel, seed: seed &+ UInt64(number)
        ) { IIOAccelerometer(access.options(), assignment, isFirst: number == 0, admit: access.admit) }
    }
}
