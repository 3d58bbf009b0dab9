internal import Glibc
package import Readings

/// The source of a simulated sensor's values.
package enum ValueSource: Sendable {
    /// The host's motion.
    case motion(MotionSense)
    /// Given values.
    case series(ValueSeries)
    /// Oscillation of each channel about a value, at a rate that depends on the seed.
    case swing(around: Double, amplitude: Double, seed: UInt64)
    /// Something that comes near for a few seconds and goes away, and what a chip counts of it.
    case approach(seed: UInt64)

    /// The source for a kind without a setting: its host's motion in a magnetic field, or the signal of its row.
    package init(of kind: Kind, on motion: HostMotion, in field: SurroundingField, seed: UInt64) {
        if let sense = MotionSense(of: kind, motion, field) {
            self = .motion(sense)
            return
        }
        switch kind.row.mock {
        case .swing(let middle, let amplitude): self = .swing(around: middle, amplitude: amplitude, seed: seed)
        case .approach: self = .approach(seed: seed)
        case .drive, .motion, .none: self = .swing(around: 0, amplitude: 0, seed: seed)
        }
    }

    package func value(at instant: MockScript.Instant) -> SIMD4<Double> {
        let seconds = Double(instant.elapsedNanoseconds) / 1e9
        switch self {
        case .motion(let sense): return sense.value(atSeconds: seconds)
        case .series(let series): return series.value(at: instant)
        case .swing(let middle, let amplitude, let seed):
            var value = SIMD4(repeating: middle)
            for channel in value.indices {
                value[channel] += amplitude * oscillation(UInt64(channel), seed, seconds)
            }
            return value
        case .approach(let seed):
            let nearness = oscillation(0, seed, seconds)
            return SIMD4(nearness > 0.5 ? 1 : 0, (1_000 * max(nearness, 0)).rounded(), 0, 0)
        }
    }

    /// From -1 to 1, at a rate and a phase that depend on the seed.
    private func oscillation(_ place: UInt64, _ seed: UInt64, _ seconds: Double) -> Double {
        let phase = Noise.fraction(place, seed: seed)
        return sin(2 * .pi * (seconds * (0.1 + phase / 4) + phase))
    }
}
