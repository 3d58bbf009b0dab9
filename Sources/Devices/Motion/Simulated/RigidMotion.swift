/// One motion of a rigid device in closed form: attitude, rate, acceleration and field at any time agree, and the truth
/// is known.
package struct RigidMotion: Equatable, Sendable {
    /// How far the device is turned about the vertical (yaw), then about its x axis (pitch), then about its y axis
    /// (roll), then about its z axis (spin), in radians.
    package var yaw = Wave()
    package var pitch = Wave()
    package var roll = Wave()
    package var spin = Wave()
    /// Where it is: east, north and up, in metres.
    package var east = Wave()
    package var north = Wave()
    package var up = Wave()
    /// The field of the place, in microtesla.
    package var field = FieldShape(strength: 49.4, dipDegrees: 67)

    package static let gravity = GravityStrength.standard

    /// A device that lies flat, with its top edge to the north.
    package init() {}

    /// A telephone in a hand: it looks around and is waved about.
    ///
    /// A vigour of 1 turns it by some 100° a second.
    package static func hand(vigour: Double = 1, pace: Pace = Pace()) -> Self {
        var motion = Self()
        motion.yaw = Wave(amplitude: 1.6, hertz: 0.13 * vigour, pace: pace)
        motion.pitch = Wave(offset: 0.5, amplitude: 0.7, hertz: 0.31 * vigour, pace: pace)
        motion.roll = Wave(amplitude: 0.9, hertz: 0.23 * vigour, phaseRadians: 1, pace: pace)
        motion.east = Wave(amplitude: 0.3, hertz: 0.41 * vigour, pace: pace)
        motion.north = Wave(amplitude: 0.2, hertz: 0.53 * vigour, phaseRadians: 2, pace: pace)
        motion.up = Wave(amplitude: 0.1, hertz: 0.67 * vigour, pace: pace)
        return motion
    }

    /// What is true, and what perfect sensors measure, at one time.
    package func moment(at seconds: Double) -> Moment { Moment(atRestIn: field).carrying(relative(at: seconds)) }

    /// The motion on what carries the device, whose axes stand for east, north and up.
    package func relative(at seconds: Double) -> RelativeMoment {
        MotionFormula(self).relative(at: seconds, .all)
    }
}
