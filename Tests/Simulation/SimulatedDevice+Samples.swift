internal import Devices
internal import Readings

/// What the device measures, and what it loses.
extension SimulatedDevice {
    var profile: DeviceProfile {
        DeviceProfile(
            offered: traits.offered, intervalNanoseconds: traits.tellsPeriod ? periodNanoseconds : nil,
            description: nil, simulated: true)
    }

    /// The rate that the chip makes of the demand; whether that is another one.
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
            if let gap = untoldGap { held.append(.gap(gap)) }
            untoldGap = nil
            held.append(
                .sample(Sample(sequence: sequence, timestamp: BootTime(nanoseconds: stamp), measurement: value)))
            sequence += 1
        }
        made += 1
        schedule()
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
        untoldGap = gap
    }

    var value: Measurement {
        .acceleration(
            Acceleration(
                x: Dice.noise(traits.seed, made / 7) * 2, y: Dice.noise(traits.seed, made / 3 + 1 << 40),
                z: 9.8 + Dice.noise(traits.seed, made + 1 << 41) / 4))
    }
}
