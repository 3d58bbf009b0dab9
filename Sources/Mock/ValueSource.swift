internal import Glibc
public import Readings

/// The source of a simulated sensor's values.
public enum ValueSource: Sendable {
    /// Gravity and motions.
    case motions(MotionSequence)
    /// Given values.
    case series(ValueSeries)
    /// A simulated hand.
    case hand(MockMotion)
    /// Oscillation of each channel about a value, at a rate that depends on the seed.
    case swing(around: Double, amplitude: Double, seed: UInt64)

    /// The source for a kind without a scenario.
    public init(of kind: Kind, seed: UInt64) {
        switch kind.row.mock {
        case .hand: self = .hand(MockMotion(seed: seed))
        case .swing(let middle, let amplitude): self = .swing(around: middle, amplitude: amplitude, seed: seed)
        case .drive, .none: self = .swing(around: 0, amplitude: 0, seed: seed)
        }
    }

    func value(at instant: MockScript.Instant) -> SIMD4<Double> {
        let seconds = Double(instant.elapsedNanoseconds) / 1e9
        switch self {
        case .motions(let sequence): return SIMD4(sequence.force(atSeconds: seconds), 0)
        case .series(let series): return series.value(at: instant)
        case .hand(let motion): return motion.acceleration(atNanoseconds: instant.elapsedNanoseconds).values.vector
        case .swing(let middle, let amplitude, let seed):
            var value = SIMD4(repeating: middle)
            for channel in value.indices {
                let phase = Noise.fraction(UInt64(channel), seed: seed)
                value[channel] += amplitude * sin(2 * .pi * (seconds * (0.1 + phase / 4) + phase))
            }
            return value
        }
    }
}
