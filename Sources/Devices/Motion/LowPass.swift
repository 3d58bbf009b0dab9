/// A low pass of the second order for vectors whose intervals may differ.
///
/// Its weight of a sample begins at 0, rises, and falls again, so that the newest one counts for nothing yet: of
/// accelerations that end, as all do, little is left. It is the Butterworth filter as two integrators by the
/// trapezoidal rule, which is stable for any sequence of intervals.
struct LowPass {
    private var slope = Vector3.zero
    private var level = Vector3.zero
    private var isEmpty: Bool

    /// A low pass in whose past all samples were as its first one, or nothing.
    init(afterNothing: Bool = false) { isEmpty = !afterNothing }

    /// What an interval makes of one sample: the same for all low passes of one time constant.
    struct Step {
        fileprivate let damped, both, quick: Double

        init(seconds: Double, timeConstantSeconds: Double) {
            // The angle of half the interval at the corner, whose tangent the trapezoidal rule wants. Intervals are so
            // short that the angle does.
            let angle = seconds / (2.0.squareRoot() * timeConstantSeconds)
            damped = 1 / (1 + angle * (angle + 2.0.squareRoot()))
            both = angle * damped
            quick = angle * both
        }
    }

    /// Takes a sample; returns the mean up to it.
    mutating func take(_ value: Vector3, _ step: Step) -> Vector3 {
        if isEmpty {
            level = value
            isEmpty = false
        }
        let distance = value - level
        let slopeNow = slope * step.damped + distance * step.both
        let levelNow = level + slope * step.both + distance * step.quick
        slope = slopeNow * 2 - slope
        level = levelNow * 2 - level
        return levelNow
    }
}
