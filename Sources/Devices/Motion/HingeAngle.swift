package import SensorValues

/// The angle of a hinge between two parts of a device, such as the lid and the base of a laptop, each with an accelerometer.
///
/// The hinge is along x of both parts, whose axes are the same where it is open by 180°. Seen along the hinge, gravity is turned in
/// one part against the other by as much as the hinge. Nothing shows that while the hinge stands upright. At 0° and at 360° gravity
/// is the same: which of the two it is follows from where the hinge came from.
package struct HingeAngle: Sendable {
    /// Why the angle is not known.
    package enum Obstacle: Equatable, Sendable {
        /// The parts are accelerated, or turn fast.
        case motion
        /// The hinge stands upright.
        case uprightHinge
        /// The parts are not joined along x: one of them is mounted otherwise than is known.
        case mounting
        /// Closed or folded round: it was not seen how it came there.
        case closedOrFolded
    }

    /// A part that a hinge joins to the other.
    package enum Part: Sendable {
        case lid
        case base
    }

    private var lid = PartAtRest()
    private var base = PartAtRest()
    /// Whether it is open by more than 180°, as far as that was seen; nil: it was not, or too long ago.
    private var isBeyondFlat: Bool?
    private var seenAt: BootTime?

    /// Within so many degrees of 0 and 360, gravity does not distinguish the one from the other.
    private static let seamDegrees = 20.0
    /// A lid that is moved passes these on its way beyond flat, or back.
    private static let nearFlatDegrees = 60.0...300
    /// The least part of gravity that is across the hinge: it is then within 15° of upright.
    private static let leastAcross = 0.26
    /// How much gravity along the hinge may differ between the parts.
    private static let mostAlong = 0.25
    /// So long a hinge is believed to stay on its side of 180° unseen.
    private static let unseenNanoseconds: Int64 = 5_000_000_000
    /// So much older the newest acceleration of one part may be than that of the other.
    private static let mostApartNanoseconds: Int64 = 500_000_000

    /// A hinge of which nothing is known.
    package init() {}

    /// Takes an acceleration of one part, along its axes and in metres per second squared; returns the angle in degrees, or why
    /// it is not known; nil: the other part has sent nothing lately.
    package mutating func take(_ acceleration: Vector3, of part: Part, at time: BootTime) -> Result? {
        switch part {
        case .lid: lid.take(acceleration, at: time)
        case .base: base.take(acceleration, at: time)
        }
        guard let top = lid.newest, let bottom = base.newest, abs(top - bottom) < Self.mostApartNanoseconds else {
            return nil
        }
        return result(at: time)
    }

    private mutating func result(at time: BootTime) -> Result {
        let (top, bottom) = (lid.mean * (1 / GravityStrength.standard), base.mean * (1 / GravityStrength.standard))
        guard min(Self.across(top), Self.across(bottom)) > Self.leastAcross else {
            return .unknown(lid.isCalm && base.isCalm ? .uprightHinge : .motion)
        }
        // An acceleration of the whole device turns what both measure in the same way.
        let turned = (arctangent(bottom.z, bottom.y) - arctangent(top.z, top.y)) * 180 / .pi
        let degrees = Self.wrapped(180 - turned)
        let isAtSeam = degrees < Self.seamDegrees || degrees > 360 - Self.seamDegrees
        if isAtSeam {
            if let seenAt, time - seenAt > Self.unseenNanoseconds { isBeyondFlat = nil }
        } else if lid.isCalm && base.isCalm || isBeyondFlat != nil && Self.nearFlatDegrees.contains(degrees) {
            // A knock at a closed lid looks like one beyond flat for a moment.
            isBeyondFlat = degrees > 180
        }
        if isBeyondFlat != nil { seenAt = time }
        guard lid.isCalm, base.isCalm else { return .unknown(.motion) }
        guard abs(top.x - bottom.x) < Self.mostAlong else { return .unknown(.mounting) }
        guard isAtSeam else { return .known(degrees) }
        guard let isBeyondFlat else { return .unknown(.closedOrFolded) }
        if isBeyondFlat { return .known(degrees < 180 ? 360 : degrees) }
        return .known(degrees > 180 ? 0 : degrees)
    }

    /// What follows from an acceleration.
    package enum Result: Equatable, Sendable {
        case known(_ degrees: Double)
        case unknown(Obstacle)
    }

    private static func across(_ gravity: Vector3) -> Double {
        (gravity.y * gravity.y + gravity.z * gravity.z).squareRoot()
    }

    private static func wrapped(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        return rest < 0 ? rest + 360 : rest
    }
}

/// What one part measures, and whether that is gravity.
private struct PartAtRest {
    /// Over a fifth of a second.
    private(set) var mean = Vector3.zero
    private(set) var newest: BootTime?
    /// Whether it is as strong as gravity, and hardly turns.
    private(set) var isCalm = false

    private static let meanSeconds = 0.2
    /// Of gravity: 30° a second, or an accelerometer's errors.
    private static let mostChange = 0.1

    mutating func take(_ acceleration: Vector3, at time: BootTime) {
        guard acceleration.isWithin(1_000) else { return }
        let gravity = GravityStrength.standard
        if let newest, time > newest, time - newest < 2_000_000_000 {
            let seconds = Double(time - newest) * 1e-9
            mean += (acceleration - mean) * (seconds / (seconds + Self.meanSeconds))
        } else {
            mean = acceleration
        }
        newest = time
        isCalm =
            abs(acceleration.length - gravity) < Self.mostChange * gravity
            && (acceleration - mean).length < Self.mostChange * gravity
    }
}
