internal import Glibc

/// A way in which a thing is moved; what an accelerometer in it measures is gravity and that.
public enum Motion: Equatable, Sendable {
    /// One of the thing's own axes.
    public enum Axis: String, CaseIterable, Sendable {
        case x, y, z

        var vector: SIMD3<Double> {
            switch self {
            case .x: [1, 0, 0]
            case .y: [0, 1, 0]
            case .z: [0, 0, 1]
            }
        }
    }

    /// It lies.
    case still
    /// Carried by somebody who makes so many steps a second.
    case walk(hertz: Double)
    /// In a vehicle: its engine, the road, and now and then its brakes and bends.
    case drive
    /// To and fro.
    case shake(Axis, hertz: Double, metersPerSecondSquared: Double)
    /// It falls, and hits the ground at the end.
    case drop
    /// Turned about an axis, right-handed.
    case rotate(Axis, degrees: Double)

    /// How long the ground takes to stop what falls.
    public static let impactSeconds = 0.03

    /// The length of a fall from a height, with its end.
    public static func dropSeconds(meters: Double) -> Double {
        (2 * meters / MockMotion.gravityMetersPerSecondSquared).squareRoot() + impactSeconds
    }

    /// What an accelerometer measures, m/s² along the axes of the world, z up; so many seconds after the motion's beginning.
    func force(_ seconds: Double, of length: Double, phases: [Double]) -> SIMD3<Double> {
        let gravity = MockMotion.gravityMetersPerSecondSquared
        func wave(_ hertz: Double, _ phase: Int = 0) -> Double {
            sin(2 * .pi * hertz * seconds + phases[phase % phases.count])
        }
        switch self {
        case .still, .rotate, .shake: return [0, 0, gravity]
        case .walk(let hertz):
            // Left and right foot: half as often as the steps, each with its heel strike.
            return [
                0.3 * wave(hertz, 1), 0.5 * wave(hertz / 2, 2), gravity + 1.8 * wave(hertz) + 0.5 * wave(2 * hertz, 3),
            ]
        case .drive:
            let brakes = 1.1 * wave(1 / 13, 0) * wave(1 / 41, 1)
            let bends = 1.4 * wave(1 / 17, 2) * wave(1 / 29, 3)
            let road = 0.25 * wave(1.7, 1) + 0.1 * wave(11, 2) + 0.08 * wave(27, 3)
            return [bends, brakes + 0.05 * wave(27, 0), gravity + road]
        case .drop:
            let fall = max(0, length - Self.impactSeconds)
            guard seconds >= fall else { return .zero }
            // Half a wave that takes away the whole speed.
            let peak = gravity * fall * .pi / (2 * Self.impactSeconds)
            return [0, 0, gravity + peak * sin(.pi * min((seconds - fall) / Self.impactSeconds, 1))]
        }
    }

    /// What comes to it along the thing's own axes.
    func ownForce(_ seconds: Double) -> SIMD3<Double> {
        guard case .shake(let axis, let hertz, let strength) = self else { return .zero }
        return axis.vector * (strength * sin(2 * .pi * hertz * seconds))
    }

    /// By how much it has turned the thing after so many seconds: gently at first and at last.
    func turn(_ seconds: Double, of length: Double) -> Attitude {
        guard case .rotate(let axis, let degrees) = self else { return .upright }
        let share = length > 0 ? min(max(seconds / length, 0), 1) : 1
        return Attitude(about: axis, degrees: degrees * (1 - cos(.pi * share)) / 2)
    }
}
