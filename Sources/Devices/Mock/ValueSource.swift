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
    /// A vector of this length that oscillates about the z axis.
    case tilt(length: Double, seed: UInt64)
    /// A turn about the z axis, as a quaternion.
    case turn(seed: UInt64)
    /// Something that comes near for a few seconds and goes away, and what a chip counts of it.
    case approach(seed: UInt64)

    /// The source for a kind without a scenario.
    public init(of kind: Kind, seed: UInt64) {
        switch kind.row.mock {
        case .hand: self = .hand(MockMotion(seed: seed))
        case .swing(let middle, let amplitude): self = .swing(around: middle, amplitude: amplitude, seed: seed)
        case .tilt(let length): self = .tilt(length: length, seed: seed)
        case .turn: self = .turn(seed: seed)
        case .approach: self = .approach(seed: seed)
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
                value[channel] += amplitude * oscillation(UInt64(channel), seed, seconds)
            }
            return value
        case .tilt(let length, let seed):
            let angles = SIMD2(oscillation(0, seed, seconds), oscillation(1, seed, seconds)) * 0.5
            let (x, y) = (sin(angles.x), sin(angles.y) * cos(angles.x))
            return SIMD4(x, y, (1 - x * x - y * y).squareRoot(), 0) * length
        case .turn(let seed):
            let half = .pi * seconds * (0.02 + Noise.fraction(0, seed: seed) / 50)
            return SIMD4(0, 0, sin(half), cos(half))
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
