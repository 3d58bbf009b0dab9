internal import Devices
internal import Platform
internal import Readings

/// A source of samples: a chip of the host, or a program.
protocol SimulatedSource: AnyObject {
    var names: [ResourceName] { get }
    var kinds: [Kind] { get }
    var log: SourceLog { get }
    /// When it does something by itself.
    var nextAt: Int64 { get }
    /// Does what is due; returns whether anything was.
    func act(_ now: Int64) -> Bool
    /// It measures nothing for a while, and reports nothing of it.
    func stall(until: Int64, _ now: Int64)
    /// It is gone for a while.
    func vanish(until: Int64, _ now: Int64)
}

/// A chip of the host, which measures its motion.
///
/// Its life is that of any device, in virtual time.
final class SimulatedSensor: SimulatedSource {
    let names: [ResourceName]
    let kinds: [Kind]
    let channel: DeviceChannel
    var log: SourceLog { hardware.log }
    private let hardware: Hardware
    private let truth: HostTruth
    private var life: DeviceLife<SensorDriver>
    private var lifeAt: BootTime?
    private var goneUntil = Int64.max
    private var toLose = 0
    private let delay: Int64

    init(
        _ kinds: [Kind], _ truth: HostTruth, shortest: Int64, delay: Int64, clock: VirtualClock
    ) throws(SystemError) {
        (self.kinds, self.truth, self.delay) = (kinds, truth, delay)
        names = kinds.map(\.row.firstResource)
        channel = try DeviceChannel(clock: { clock.nanoseconds })
        hardware = Hardware(kinds, shortest, clock)
        life = DeviceLife(
            supervisor: Supervisor(seed: 1, warmGraceNanoseconds: 2_000_000_000), channel: channel,
            driver: SensorDriver(hardware: hardware), clock: { clock.now })
    }

    var nextAt: Int64 {
        let sample = hardware.demand == nil ? .max : hardware.nextStamp + delay
        return min(sample, goneUntil, lifeAt?.nanoseconds ?? .max)
    }

    func act(_ now: Int64) -> Bool {
        var hasActed = false
        if goneUntil <= now {
            (goneUntil, hardware.log.isPlugged, hasActed) = (.max, true, true)
            channel.request(.look)
        }
        lifeAt = life.turn()
        while hardware.demand != nil, hardware.nextStamp + delay <= now {
            measure(now)
            hasActed = true
        }
        if hasActed { lifeAt = life.turn() }
        return hasActed
    }

    private func measure(_ now: Int64) {
        let stamp = hardware.nextStamp
        hardware.nextStamp += hardware.periodNanoseconds
        life.take { intake in
            if toLose > 0 {
                let until = stamp + Int64(toLose - 1) * hardware.periodNanoseconds
                intake.append(
                    Gap(
                        cause: .deviceOverflow, count: toLose, from: BootTime(nanoseconds: stamp),
                        until: BootTime(nanoseconds: until)))
                hardware.log.lose(toLose)
                hardware.nextStamp = until + hardware.periodNanoseconds
                toLose = 0
                return
            }
            intake.append(
                scan: kinds.map { truth.measurement(of: $0, stamp) }, at: BootTime(nanoseconds: stamp))
            hardware.log.add(stamp, at: now)
        }
    }

    func stall(until: Int64, _ now: Int64) { hardware.nextStamp = max(hardware.nextStamp, until) }

    /// Its buffer overflows.
    func lose(_ count: Int) { toLose = hardware.demand == nil ? 0 : count }

    func vanish(until: Int64, _ now: Int64) {
        guard goneUntil == .max else { return }
        (goneUntil, hardware.log.isPlugged) = (until, false)
        if hardware.demand != nil { life.lose(DeviceFault(.lost, "unplugged")) }
        lifeAt = life.turn()
    }
}

/// What a sensor and its driver share.
private final class Hardware {
    let kinds: KindSet
    let shortest: Int64
    let log = SourceLog()
    private let clock: VirtualClock
    var isPlugged: Bool { log.isPlugged }
    /// What it was started for; nil: it is closed.
    private(set) var demand: Demand?
    private(set) var periodNanoseconds: Int64
    var nextStamp: Int64 = 0

    init(_ kinds: [Kind], _ shortest: Int64, _ clock: VirtualClock) {
        (self.kinds, self.shortest, self.clock) = (KindSet(kinds), shortest, clock)
        periodNanoseconds = shortest
    }

    func start(_ demand: Demand) throws(DeviceFault) -> DeviceProfile {
        guard isPlugged else { throw DeviceFault(.missing, "it is not plugged in") }
        if self.demand == nil { log.open() }
        let period = max(shortest, demand.intervalNanoseconds ?? 100_000_000)
        if self.demand == nil || period != periodNanoseconds { nextStamp = clock.nanoseconds + period }
        (self.demand, periodNanoseconds) = (demand, period)
        return profile
    }

    func stop() { demand = nil }

    var profile: DeviceProfile {
        var profile = DeviceProfile(
            offered: .range(shortestNanoseconds: shortest, longestNanoseconds: 1_000_000_000),
            intervalNanoseconds: demand == nil ? nil : periodNanoseconds, description: "simulated", simulated: true)
        profile.kinds = kinds
        return profile
    }
}

private struct SensorDriver: DeviceDriver, ~Copyable {
    let hardware: Hardware

    var readiness: Readiness { .at(BootTime(nanoseconds: .max)) }

    mutating func probe() throws(DeviceFault) -> DeviceProfile {
        guard hardware.isPlugged else { throw DeviceFault(.missing, "it is not plugged in") }
        return hardware.profile
    }

    mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile { try hardware.start(demand) }

    mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        try hardware.start(demand)
    }

    mutating func read(into intake: inout Intake) {}

    mutating func close() { hardware.stop() }
}
