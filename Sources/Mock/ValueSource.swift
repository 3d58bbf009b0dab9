internal import Glibc
public import Readings

/// Where the values of a simulated sensor come from.
public enum ValueSource: Sendable {
    /// From gravity and motions.
    case motions(MotionSequence)
    /// From values that are known.
    case series(ValueSeries)
    /// From a hand that a seed moves.
    case hand(MockMotion)
    /// Each channel swings about a value, at a pace of its own that a seed decides.
    case swing(around: Double, amplitude: Double, seed: UInt64)

    /// What is simulated of a kind where nobody says otherwise.
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
