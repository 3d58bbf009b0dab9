internal import Devices
internal import Readings

/// The samples that the device measures, and those that it loses.
extension SimulatedDevice {
    var profile: DeviceProfile {
        var profile = DeviceProfile(
            offered: traits.offered, intervalNanoseconds: traits.tellsPeriod ? periodNanoseconds : nil,
            description: nil, simulated: true)
        profile.kinds = presentKinds
        return profile
    }

    /// Sets the rate that the chip makes of the demand; returns whether it changed.
    mutating func setPeriod() -> Bool {
        let former = periodNanoseconds
        switch traits.offered {
        case .fixed: return false
        case .discrete, .range:
            let asked = Double(demand?.intervalNanoseconds ?? traits.usualPeriod)
            periodNanoseconds = max(1_000, Int64(asked * traits.misreading))
        }
        return periodNanoseconds != former
    }

    mutating func schedule() {
        base += Double(periodNanoseconds) * (1 + traits.drift)
        nextSampleAt = timestamp + traits.delay
    }

    var timestamp: Int64 {
        Int64(base + Double(periodNanoseconds) * traits.jitter * Dice.noise(traits.seed, made))
    }

    mutating func make() {
        let stamp = timestamp
        if toLose > 0 {
            loseRun()
        } else {
            if traits.usesLatency, let latency = demand?.latencyNanoseconds, latency > 0, holdUntil == nil {
                holdUntil = stamp + traits.delay + latency - periodNanoseconds
            }
            if let gap = pendingGap { held.append(.gap(gap)) }
            pendingGap = nil
            for kind in yielded { scan(kind, BootTime(nanoseconds: stamp)) }
            sequence += 1
        }
        made += 1
        schedule()
    }

    /// All kinds of a scan share its number and time; now and then one of several is missing.
    private mutating func scan(_ kind: Kind, _ stamp: BootTime) {
        if yielded.count > 1, Dice.noise(traits.seed, made + UInt64(kind == traits.kind ? 1 : 2) << 44) > 0.97 {
            let from = missing[kind]?.from ?? stamp
            let count = (missing[kind]?.count ?? 0) + 1
            missing[kind] = Gap(cause: .deviceOverflow, count: count, from: from, until: stamp)
            return
        }
        if let gap = missing.removeValue(forKey: kind) { held.append(.missing(gap, of: Quantity(kind))) }
        held.append(.sample(Sample(sequence: sequence, timestamp: stamp, measurement: value(kind))))
    }

    mutating func loseRun() {
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
        pendingGap = gap
    }

    private func value(_ kind: Kind) -> Measurement {
        switch kind.row.form {
        case .values:
            .values(
                Values(
                    kind,
                    [
                        Dice.noise(traits.seed, made / 7) * (kind == traits.kind ? 2 : 3),
                        Dice.noise(traits.seed, made / 3 + 1 << 40),
                        9.8 + Dice.noise(traits.seed, made + 1 << 41) / 4, 0,
                    ]))
        case .location: .location(location)
        case .orientation: .orientation(made % 2 == 0 ? .normal : .leftUp)
        }
    }

    /// A walk of some metres around a place, sometimes near the date line; now and then the fix is lost for a while.
    private var location: Location {
        guard Dice.noise(traits.seed, made / 50 + 1 << 42) < 0.9 else { return Location(fix: .noPosition) }
        var location = Location(fix: .threeDimensional)
        location.latitudeDegrees = Dice.noise(traits.seed, 3) * 80 + Dice.noise(traits.seed, made / 5) / 50_000
        let longitude =
            (traits.seed.isMultiple(of: 3) ? 180 : 11) + Dice.noise(traits.seed, made / 3 + 1 << 40) / 50_000
        location.longitudeDegrees = longitude > 180 ? longitude - 360 : longitude
        location.altitudeMeters = 500 + Dice.noise(traits.seed, made)
        location.utcMicroseconds = 1_700_000_000_000_000 + Int64(made) * periodNanoseconds / 1_000
        return location
    }
}
