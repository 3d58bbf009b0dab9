internal import Glibc

/// A motion of a device, from which its accelerometer's values follow.
public enum Motion: Equatable, Sendable {
    /// An axis of the device.
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

    /// At rest.
    case still
    /// Carried by somebody who walks at this rate of steps.
    case walk(hertz: Double)
    /// In a vehicle: its engine, the road, and now and then its brakes and bends.
    case drive
    /// Shaken along an axis.
    case shake(Axis, hertz: Double, metersPerSecondSquared: Double)
    /// Dropped; the impact is at the end.
    case drop
    /// Turned about an axis, right-handed.
    case rotate(Axis, degrees: Double)

    /// The duration of an impact.
    public static let impactSeconds = 0.03

    /// The duration of a fall from a height, with its impact.
    public static func dropSeconds(meters: Double) -> Double {
        (2 * meters / MockMotion.gravityMetersPerSecondSquared).squareRoot() + impactSeconds
    }

    /// The measured acceleration in m/s² along the axes of the world (z is up), at a time since the motion's start.
    func force(_ seconds: Double, of length: Double, phases: [Double]) -> SIMD3<Double> {
        let gravity = MockMotion.gravityMetersPerSecondSquared
        func wave(_ hertz: Double, _ phase: Int = 0) -> Double {
            sin(2 * .pi * hertz * seconds + phases[phase % phases.count])
        }
        switch self {
        case .still, .rotate, .shake: return [0, 0, gravity]
        case .walk(let hertz):
            // Left and right foot alternate at half the rate of the steps; each step has an impact.
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
            // Half a sine wave that takes away all of the speed.
            let peak = gravity * fall * .pi / (2 * Self.impactSeconds)
            return [0, 0, gravity + peak * sin(.pi * min((seconds - fall) / Self.impactSeconds, 1))]
        }
    }

    /// The acceleration that is added along the device's own axes.
    func ownForce(_ seconds: Double) -> SIMD3<Double> {
        guard case .shake(let axis, let hertz, let strength) = self else { return .zero }
        return axis.vector * (strength * sin(2 * .pi * hertz * seconds))
    }

    /// By how much the device has been turned, with a smooth start and end.
    func turn(_ seconds: Double, of length: Double) -> Attitude {
        guard case .rotate(let axis, let degrees) = self else { return .upright }
        let share = length > 0 ? min(max(seconds / length, 0), 1) : 1
        return Attitude(about: axis, degrees: degrees * (1 - cos(.pi * share)) / 2)
    }
}

/// The orientation of a device: the matrix from the world's axes to the device's.
struct Attitude: Equatable, Sendable {
    private let rows: [SIMD3<Double>]

    /// Lying flat: its axes are the world's, and its screen is up.
    static let upright = Attitude(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [SIMD3<Double>]) { self.rows = rows }

    /// Turned about one of its own axes, right-handed.
    init(about axis: Motion.Axis, degrees: Double) {
        // Quarter turns are exact, so that an upright device has no gravity along its other axes.
        let quarters = degrees / 90
        let exact = Int(exactly: quarters.rounded()).map { (($0 % 4) + 4) % 4 }
        let isQuarter = quarters == quarters.rounded()
        let c = isQuarter ? [1.0, 0, -1, 0][exact ?? 0] : cos(degrees * .pi / 180)
        let s = isQuarter ? [0.0, 1, 0, -1][exact ?? 0] : sin(degrees * .pi / 180)
        switch axis {
        case .x: rows = [[1, 0, 0], [0, c, s], [0, -s, c]]
        case .y: rows = [[c, 0, -s], [0, 1, 0], [s, 0, c]]
        case .z: rows = [[c, s, 0], [-s, c, 0], [0, 0, 1]]
        }
    }

    /// This rotation after another one.
    func after(_ former: Attitude) -> Attitude {
        Attitude(
            rows: rows.map { row in former.rows[0] * row.x + former.rows[1] * row.y + former.rows[2] * row.z })
    }

    /// A vector of the world in the device's axes.
    func applied(to vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((rows[0] * vector).sum(), (rows[1] * vector).sum(), (rows[2] * vector).sum())
    }
}
