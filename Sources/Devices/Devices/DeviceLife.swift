internal import Platform
package import Readings

/// The work of a device: take commands, ask the supervisor, act on the driver, send to the loop.
///
/// A thread does it (`run`), or the loop itself for a device whose samples arrive there (`turn`, `take`).
package struct DeviceLife<Driver: DeviceDriver & ~Copyable>: ~Copyable {
    private var driver: Driver
    private var supervisor: Supervisor
    private var intake = Intake()
    /// The release that is confirmed as soon as the device is closed; nil: it is not released.
    private var release: Int?
    private var isSignalled = true
    private let channel: DeviceChannel
    /// Makes the driver again; nil: there is no other.
    private let make: (@Sendable () -> Driver)?
    private let clock: () -> BootTime

    /// The life of a device that a thread follows.
    init(supervisor: Supervisor, channel: DeviceChannel, make: @escaping @Sendable () -> Driver) {
        self.supervisor = supervisor
        self.channel = channel
        self.make = make
        clock = { BootTime(nanoseconds: Clock.bootNanoseconds()) }
        driver = make()
    }

    /// The life of a device in the loop, whose driver never blocks and is given its samples; the clock is the loop's.
    package init(
        supervisor: Supervisor, channel: DeviceChannel, driver: consuming Driver, clock: @escaping () -> BootTime
    ) {
        self.supervisor = supervisor
        self.channel = channel
        self.driver = driver
        self.clock = clock
        make = nil
    }

    // MARK: in the loop

    /// Does all that a thread would do before it waits; returns until when nothing is to be done without an event, nil: for ever.
    package mutating func turn() -> BootTime? {
        while true {
            isSignalled = true
            takeCommands()
            let action = supervisor.next(at: now)
            if action != .close { publish() }
            switch action {
            case .sleep(let deadline):
                confirmRelease()
                return deadline
            case .run(let deadline):
                guard now >= deadline else { return deadline }
                do throws(DeviceFault) { try supervisor.cameEmpty(at: now) } catch { fail(error) }
            case .stop: return nil
            case .probe, .open, .adjust, .look, .close: _ = perform(action)
            }
            publish()
        }
    }

    /// Takes samples of the open device.
    package mutating func take(_ add: (inout Intake) -> Void) {
        add(&intake)
        deliver()
    }

    /// The open device has gone.
    package mutating func lose(_ fault: DeviceFault) { fail(fault) }

    // MARK: on a thread

    /// Returns after the request to stop, with the driver closed.
    mutating func run() {
        var isRunning = true
        while isRunning {
            channel.work()
            takeCommands()
            let action = supervisor.next(at: now)
            // A release is published only after the device is closed, so that another program can have it then.
            if action != .close { publish() }
            isRunning = perform(action)
            publish()
        }
        channel.rest()
        channel.markStopped()
    }

    private var now: BootTime { clock() }

    private mutating func takeCommands() {
        let taken = channel.takeNewCommands(isSignalled: isSignalled)
        isSignalled = false
        guard let commands = taken else { return }
        release = commands.isReleased ? commands.releases : nil
        if let grace = commands.warmGraceNanoseconds { supervisor.setWarmGrace(nanoseconds: grace) }
        supervisor.setReleased(commands.isReleased)
        if commands.requests.contains(.lapse) { supervisor.demandLapsed() }
        supervisor.demand(commands.demand, at: now)
        // After the demand: a device that is in use again is not evicted.
        if commands.requests.contains(.evict) { supervisor.evict() }
        if commands.requests.contains(.remake) { remake() }
        if commands.requests.contains(.probe) { supervisor.requestProbe() }
        if commands.requests.contains(.look) { supervisor.requestLook() }
        if commands.requests.contains(.stop) { supervisor.requestStop() }
    }

    private mutating func publish() {
        // The counters first: a reader that sees the state finds the counters that led to it.
        if let counters = supervisor.takeNewCounters() { channel.publish(counters) }
        if let state = supervisor.takeStateChange() { channel.send(.state(state)) }
    }

    private mutating func perform(_ action: SupervisorAction) -> Bool {
        do throws(DeviceFault) {
            switch action {
            case .probe: try probe()
            case .open(let demand): try open(demand)
            case .adjust(let demand): try adjust(to: demand)
            case .look: try look()
            case .close: driver.close()
            case .run(let deadline): try waitAndRead(until: deadline)
            case .sleep(let deadline):
                confirmRelease()
                _ = wait(until: deadline)
            case .stop: return false
            }
        } catch {
            fail(error)
        }
        return true
    }

    private mutating func fail(_ fault: DeviceFault) {
        // Samples from before the fault are still good.
        deliver()
        if let remainder = fault.remainder { channel.send(.profile(remainder)) }
        supervisor.failed(fault, at: now)
        publish()
        channel.send(.failed(reason: fault.description, inPart: fault.remainder != nil))
    }

    private func confirmRelease() {
        if let release { channel.confirmRelease(release) }
    }

    private mutating func remake() {
        driver.close()
        if let make { driver = make() }
        supervisor.remade()
        channel.send(.replaced)
    }

    private mutating func probe() throws(DeviceFault) {
        let profile = try driver.probe()
        channel.send(.profile(profile))
        supervisor.probed()
    }

    private mutating func open(_ demand: Demand) throws(DeviceFault) {
        let profile = try driver.open(demand)
        intake.restart()
        channel.send(.opened)
        channel.send(.profile(profile))
        supervisor.opened(profile, for: demand, at: now)
    }

    private mutating func adjust(to demand: Demand) throws(DeviceFault) {
        let profile = try driver.adjust(to: demand, &intake)
        deliver()
        channel.send(.profile(profile))
        supervisor.adjusted(profile, to: demand, at: now)
    }

    private mutating func look() throws(DeviceFault) {
        try driver.read(into: &intake)
        deliver()
    }

    private mutating func waitAndRead(until deadline: BootTime) throws(DeviceFault) {
        let isDue: Bool
        switch driver.readiness {
        case .insideRead:
            isDue = true
        case .at(let instant):
            let ready = wait(until: min(instant, deadline))
            isDue = now >= instant
            if ready.first, !isDue { return }
        case .descriptor(let descriptor, let instant):
            let ready = wait(until: min(instant ?? deadline, deadline), descriptor)
            isDue = ready.second || instant.map { now >= $0 } ?? false
            // A wait that a command cut short has measured no silence.
            if ready.first, !isDue { return }
        }
        if isDue { try driver.read(into: &intake) }
        if deliver() == 0 { try supervisor.cameEmpty(at: now) }
    }

    private mutating func wait(until deadline: BootTime?, _ descriptor: Int32? = nil) -> Wait.Ready {
        var nanoseconds: Int64?
        // Not by `map`: for its closure, a generic type's metadata are looked up.
        if let deadline { nanoseconds = max(0, deadline - now) }
        channel.rest()
        let ready = VirtualTime.wait(channel.commandDescriptor, descriptor, nanoseconds: nanoseconds)
        channel.work()
        isSignalled = ready.first
        return ready
    }

    // Hands the intake to the loop; returns the number of samples in it, counting those of one scan as one.
    @discardableResult
    private mutating func deliver() -> Int {
        var samples = 0
        var scan: UInt64?
        for event in intake.events {
            switch event {
            case .sample(let sample):
                if sample.sequence != scan { samples += 1 }
                scan = sample.sequence
            case .run(let run): (samples, scan) = (samples + run.count, nil)
            case .opened: scan = nil
            case .profile(let profile): supervisor.profileChanged(profile)
            case .state(let state): supervisor.reported(state)
            default: break
            }
        }
        // The state first: a sample that makes the device active belongs to its activity.
        supervisor.sampled(samples, at: now)
        supervisor.refused(intake.refusedValues)
        publish()
        channel.send(&intake)
        return samples
    }
}
