internal import Devices
internal import Readings

/// A device and its thread in virtual time: what it is told, and what it tells, as the real ones do.
struct SimulatedDevice {
    private enum Mode: Equatable {
        case closed
        case running
        case lost(until: Int64)
        case released(until: Int64)
    }

    let traits: DeviceTraits
    private var mode = Mode.closed
    private var demand: Demand?
    private var pendingDemand: (demand: Demand?, at: Int64)?
    private(set) var periodNanoseconds: Int64
    private var base = 0.0
    private var made: UInt64 = 0
    private var sequence: UInt64 = 0
    private var nextSampleAt: Int64 = .max
    private var held: [DeviceEvent] = []
    private var holdUntil: Int64?
    private var toLose = 0
    private var untoldGap: Gap?
    private var isActive = false

    init(_ traits: DeviceTraits) {
        self.traits = traits
        periodNanoseconds = traits.usualPeriod
    }

    // MARK: commands

    mutating func setDemand(_ demand: Demand?, now: Int64) { pendingDemand = (demand, now + 200_000) }

    mutating func stall(_ span: Int64) {
        guard mode == .running else { return }
        base += Double(span)
        schedule()
    }

    mutating func holdBack(_ span: Int64, now: Int64) {
        guard mode == .running else { return }
        holdUntil = max(holdUntil ?? 0, now + span)
    }

    mutating func overflow(_ count: Int) { if mode == .running { toLose += count } }

    mutating func lose(downFor span: Int64, now: Int64) -> [DeviceEvent] {
        guard mode == .running else { return [] }
        defer { stop(.lost(until: now + span)) }
        return handOver() + [.state(.unavailable(reason: "unplugged")), .failed(reason: "unplugged")]
    }

    mutating func release(_ span: Int64, now: Int64) -> [DeviceEvent] {
        guard mode == .running else { return [] }
        defer { stop(.released(until: now + span)) }
        return handOver() + [.state(.released)]
    }

    // MARK: time

    var nextEventAt: Int64 {
        var next = pendingDemand?.at ?? .max
        switch mode {
        case .closed: break
        case .lost(let until), .released(let until): next = min(next, until)
        case .running: next = min(next, holdUntil ?? nextSampleAt)
        }
        return next
    }

    mutating func poll(now: Int64) -> [DeviceEvent] {
        var events: [DeviceEvent] = []
        if let pending = pendingDemand, pending.at <= now {
            pendingDemand = nil
            events += take(pending.demand, now: now)
        }
        switch mode {
        case .lost(let until) where until <= now, .released(let until) where until <= now:
            mode = .closed
            events += demand == nil ? [.state(.idle)] : open(now: now)
        default: break
        }
        guard mode == .running else { return events }
        while nextSampleAt <= now { make() }
        if (holdUntil ?? now) <= now { events += handOver() }
        return events
    }

    private mutating func take(_ demand: Demand?, now: Int64) -> [DeviceEvent] {
        let former = self.demand
        self.demand = demand
        switch mode {
        case .lost, .released: return []
        case .closed: return demand == nil ? [] : open(now: now)
        case .running: break
        }
        guard let demand else {
            defer { stop(.closed) }
            return handOver() + [.state(.idle)]
        }
        guard demand != former else { return [] }
        let before = handOver()
        guard setPeriod() else { return before }
        // What was being lost ends where the new period begins.
        let end = max(untoldGap?.from.nanoseconds ?? 0, now)
        untoldGap?.until = BootTime(nanoseconds: end)
        base = Double(end)
        schedule()
        return before + [.profile(profile)]
    }

    private mutating func open(now: Int64) -> [DeviceEvent] {
        mode = .running
        sequence = 0
        isActive = false
        _ = setPeriod()
        base = Double(now)
        schedule()
        return [.opened, .profile(profile), .state(.starting)]
    }

    private mutating func stop(_ next: Mode) {
        mode = next
        held = []
        holdUntil = nil
        toLose = 0
        untoldGap = nil
    }

    /// What is ready goes to the loop, behind the news that the device is active.
    private mutating func handOver() -> [DeviceEvent] {
        holdUntil = nil
        let hasSample = held.contains { if case .sample = $0 { true } else { false } }
        let news: [DeviceEvent] = hasSample && !isActive ? [.state(.active)] : []
        isActive = isActive || hasSample
        defer { held = [] }
        return news + held
    }

    // MARK: samples

    private var profile: DeviceProfile {
        DeviceProfile(
            offered: traits.offered, intervalNanoseconds: traits.tellsPeriod ? periodNanoseconds : nil,
            description: nil, simulated: true)
    }

    /// The rate that the chip makes of the demand; whether that is another one.
    private mutating func setPeriod() -> Bool {
        let former = periodNanoseconds
        switch traits.offered {
        case .fixed: return false
        case .discrete, .range:
            let asked = Double(demand?.intervalNanoseconds ?? traits.usualPeriod)
            periodNanoseconds = max(1_000, Int64(asked * traits.misreading))
        }
        return periodNanoseconds != former
    }

    private mutating func schedule() {
        base += Double(periodNanoseconds) * (1 + traits.drift)
        nextSampleAt = timestamp + traits.delay
    }

    private var timestamp: Int64 {
        Int64(base + Double(periodNanoseconds) * traits.jitter * Dice.noise(traits.seed, made))
    }

    private mutating func make() {
        let stamp = timestamp
        if toLose > 0 {
            loseRun()
        } else {
            if traits.usesLatency, let latency = demand?.latencyNanoseconds, latency > 0, holdUntil == nil {
                holdUntil = stamp + traits.delay + latency - periodNanoseconds
            }
            if let gap = untoldGap { held.append(.gap(gap)) }
            untoldGap = nil
            held.append(
                .sample(Sample(sequence: sequence, timestamp: BootTime(nanoseconds: stamp), measurement: value)))
            sequence += 1
        }
        made += 1
        schedule()
    }

    private mutating func loseRun() {
        let from = timestamp
        for _ in 1..<toLose {
            made += 1
            schedule()
        }
        let gap = Gap(
            cause: .deviceOverflow, count: toLose, from: BootTime(nanoseconds: from),
            until: BootTime(nanoseconds: timestamp))
        sequence += UInt64(toLose)
        toLose = 0
        untoldGap = gap
    }

    private var value: Measurement {
        .acceleration(
            Acceleration(
                x: Dice.noise(traits.seed, made / 7) * 2, y: Dice.noise(traits.seed, made / 3 + 1 << 40),
                z: 9.8 + Dice.noise(traits.seed, made + 1 << 41) / 4))
    }
}
