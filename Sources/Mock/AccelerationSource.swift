internal import Readings

/// Where the accelerations of a simulated accelerometer come from.
public enum AccelerationSource: Sendable {
    /// From gravity and motions.
    case motions(MotionSequence)
    /// From values that are known.
    case series(AccelerationSeries)
    /// From a hand that a seed moves.
    case hand(MockMotion)

    func force(at instant: MockScript.Instant) -> SIMD3<Double> {
        switch self {
        case .motions(let sequence): return sequence.force(atSeconds: Double(instant.elapsedNanoseconds) / 1e9)
        case .series(let series): return series.force(at: instant)
        case .hand(let motion):
            let value = motion.acceleration(atNanoseconds: instant.elapsedNanoseconds)
            return [value.x, value.y, value.z]
        }
    }
}
