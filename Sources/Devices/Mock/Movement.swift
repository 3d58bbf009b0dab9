internal import Glibc
package import Motion

/// One kind of motion of a device, on what carries it: from when it begins, it turns the device and pushes it about.
package enum Movement: Equatable, Sendable {
    /// An axis of the device.
    package enum Axis: String, CaseIterable, Sendable {
        case x, y, z

        var vector: Vector3 {
            switch self {
            case .x: Vector3(x: 1, y: 0, z: 0)
            case .y: Vector3(x: 0, y: 1, z: 0)
            case .z: Vector3(x: 0, y: 0, z: 1)
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
    /// Turned about a vector along its axes, right-handed, by its length in radians.
    case turn(by: Vector3)
    /// In a hand that looks around with it and waves it about.
    case hand

    /// Turned about an axis, right-handed.
    package static func rotate(_ axis: Axis, degrees: Double) -> Self { .turn(by: axis.vector * (degrees * .pi / 180)) }

    package static let impactSeconds = 0.03

    /// The duration of a fall from a height, with its impact.
    package static func dropSeconds(meters: Double) -> Double {
        (2 * meters / RigidMotion.gravity).squareRoot() + impactSeconds
    }

    /// The acceleration in m/s² along the axes of what carries the device, at a time since the beginning.
    func push(_ seconds: Double, of length: Double, phases: [Double]) -> Vector3 {
        func wave(_ hertz: Double, _ phase: Int = 0) -> Double {
            sin(2 * .pi * hertz * seconds + phases[phase % phases.count])
        }
        switch self {
        case .still, .turn, .shake: return .zero
        case .walk(let hertz):
            // Left and right foot alternate at half the rate of the steps; each step has an impact.
            return Vector3(
                x: 0.3 * wave(hertz, 1), y: 0.5 * wave(hertz / 2, 2), z: 1.8 * wave(hertz) + 0.5 * wave(2 * hertz, 3))
        case .drive:
            let brakes = 1.1 * wave(1 / 13, 0) * wave(1 / 41, 1)
            let bends = 1.4 * wave(1 / 17, 2) * wave(1 / 29, 3)
            let road = 0.25 * wave(1.7, 1) + 0.1 * wave(11, 2) + 0.08 * wave(27, 3)
            return Vector3(x: bends, y: brakes + 0.05 * wave(27, 0), z: road)
        case .drop:
            let fall = max(0, length - Self.impactSeconds)
            guard seconds >= fall else { return Vector3(x: 0, y: 0, z: -RigidMotion.gravity) }
            // Half a sine wave that takes away all of the speed.
            let peak = RigidMotion.gravity * fall * .pi / (2 * Self.impactSeconds)
            return Vector3(x: 0, y: 0, z: peak * sin(.pi * min((seconds - fall) / Self.impactSeconds, 1)))
        case .hand:
            let hand = Self.hand(seconds, of: length)
            return hand.rotation.turn(hand.acceleration)
        }
    }

    /// The acceleration that is added along the device's own axes.
    func ownPush(_ seconds: Double) -> Vector3 {
        guard case .shake(let axis, let hertz, let strength) = self else { return .zero }
        return axis.vector * (strength * sin(2 * .pi * hertz * seconds))
    }

    /// Turns the device as far as this has come: it sets off and ends at rest.
    func turn(_ device: inout RelativeMoment, _ seconds: Double, of length: Double) {
        switch self {
        case .still, .walk, .drive, .shake, .drop: return
        case .turn(let radians):
            let part = .pi * min(max(seconds / length, 0), 1)
            device.turn(
                by: Quaternion(turningBy: radians * ((1 - cos(part)) / 2)),
                rate: radians * (.pi * sin(part) / (2 * length)))
        case .hand:
            let hand = Self.hand(seconds, of: length)
            device.turn(by: Self.hand(0, of: length).rotation.inverse * hand.rotation, rate: hand.rate)
        }
    }

    private static func hand(_ seconds: Double, of length: Double) -> RelativeMoment {
        // The second in which it rests lies before.
        let pace = Pace(restSeconds: 1, movingSeconds: length, rampSeconds: min(1, length / 2))
        return RigidMotion.hand(pace: pace).relative(at: min(seconds, length) + 1)
    }
}
