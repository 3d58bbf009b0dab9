internal import Devices
internal import Mock
internal import Readings

/// A device and its thread in virtual time, with the commands and events of real ones.
struct SimulatedDevice {
    private enum Mode: Equatable {
        case closed
        case running
        case lost(until: Int64)
        case released(until: Int64)
    }

    let traits: DeviceTraits
    private var mode = Mode.closed
    var demand: Demand?
    private var pendingDemand: (demand: Demand?, at: Int64)?
    var periodNanoseconds: Int64
    var base = 0.0
    var made: UInt64 = 0
    var sequence: UInt64 = 0
    var nextSampleAt: Int64 = .max
    var held: [DeviceEvent] = []
    var holdUntil: Int64?
    var toLose = 0
    var pendingGap: Gap?
    private var isActive = false
    /// Nobody asks for it: it stays open until then.
    private var warmUntil: Int64?
    /// Which kinds it has at present, and which of them it yields.
    private var present: [Kind]
    private(set) var yielded: [Kind]
    private var settings: UInt64 = 0
    /// Kinds that were missing from the last scan, which must still be reported.
    var missing: [Kind: Gap] = [:]

    init(_ traits: DeviceTraits) {
        self.traits = traits
        periodNanoseconds = traits.usualPeriod
        (present, yielded) = (traits.kinds, traits.kinds)
    }

    var presentKinds: KindSet { KindSet(present) }

    /// Kinds come and go when it is opened: now and then one of several is absent; returns whether it now yields other
    /// kinds.
    private mutating func setKinds() -> Bool {
        guard traits.kinds.count > 1 else { return false }
        settings += 1
        let former = (present, yielded)
        let absent = Dice.noise(traits.seed, settings + 1 << 43)
        present = traits.kinds.enumerated().filter { index, _ in
            absent < 0.6 || index != Int(absent * 1_000) % traits.kinds.count
        }.map(\.element)
        yielded = present.filter { demand?.kinds.contains($0) ?? true }
        missing = missing.filter { yielded.contains($0.key) }
        return former != (present, yielded)
    }

    // MARK: commands

    mutating func setDemand(_ demand: Demand?, now: Int64) { pendingDemand = (demand, now + 200_000) }

    /// Ignores a fault that devices of this kind cannot have.
    mutating func suffer(_ fault: Fault, for span: Int64, now: Int64) -> [DeviceEvent] {
        switch fault {
        case .stall: stall(span)
        case .late: holdBack(span, now: now)
        case .overflow(let count): overflow(count)
        case .unplug: return lose(downFor: span, now: now)
        case .gpsdRestart, .lie, .refuse, .noFix, .satellites, .jump, .utcBack, .weekRollover: break
        }
        return []
    }

    mutating func stall(_ span: Int64) {
        guard mode == .running else { return }
        base += Double(span)
        schedule()
    }

    private mutating func holdBack(_ span: Int64, now: Int64) {
        guard mode == .running else { return }
        holdUntil = max(holdUntil ?? 0, now + span)
    }

    private mutating func overflow(_ count: Int) { if mode == .running { toLose += count } }

    private mutating func lose(downFor span: Int64, now: Int64) -> [DeviceEvent] {
        guard mode == .running, warmUntil == nil else { return [] }
        defer { stop(.lost(until: now + span)) }
        return handOver() + [.state(.unavailable(reason: "unplugged")), .failed(reason: "unplugged")]
    }

    mutating func release(_ span: Int64, now: Int64) -> [DeviceEvent] {
        guard mode == .running, warmUntil == nil else { return [] }
        defer { stop(.released(until: now + span)) }
        return handOver() + [.state(.released)]
    }

    // MARK: time

    var nextEventAt: Int64 {
        var next = pendingDemand?.at ?? .max
        switch mode {
        case .closed: break
        case .lost(let until), .released(let until): next = min(next, until)
        case .running: next = min(next, holdUntil ?? nextSampleAt, warmUntil ?? .max)
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
        if let warmUntil, warmUntil <= now {
            defer { stop(.closed) }
            return events + [.state(.idle)]
        }
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
            warmUntil = now + traits.grace
            return handOver() + [.state(.warm)]
        }
        guard warmUntil != nil || demand != former else { return [] }
        let before = handOver() + (warmUntil == nil ? [] : [.state(isActive ? .active : .starting)])
        warmUntil = nil
        let hasOtherKinds = setKinds()
        // A client that joins with another kind may cost the others a sample.
        if hasOtherKinds, settings % 3 == 0 { toLose += 1 }
        guard setPeriod() || hasOtherKinds else { return before }
        // A loss in progress ends where the new period begins.
        let end = max(pendingGap?.from.nanoseconds ?? 0, now)
        pendingGap?.until = BootTime(nanoseconds: end)
        base = Double(end)
        schedule()
        return before + [.profile(profile)]
    }

    private mutating func open(now: Int64) -> [DeviceEvent] {
        mode = .running
        sequence = 0
        isActive = false
        _ = setPeriod()
        _ = setKinds()
        base = Double(now)
        schedule()
        return [.opened, .profile(profile), .state(.starting)]
    }

    private mutating func stop(_ next: Mode) {
        mode = next
        warmUntil = nil
        held = []
        holdUntil = nil
        toLose = 0
        pendingGap = nil
        missing = [:]
    }

    /// Ready samples go to the loop, after the state of the active device.
    private mutating func handOver() -> [DeviceEvent] {
        holdUntil = nil
        let hasSample = held.contains { if case .sample = $0 { true } else { false } }
        let states: [DeviceEvent] = hasSample && !isActive ? [.state(.active)] : []
        isActive = isActive || hasSample
        defer { held = [] }
        return states + held
    }
}
