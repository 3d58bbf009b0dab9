/// One motion of a rigid device in closed form: attitude, rate, acceleration and field at any time agree, and the truth
/// is known.
package struct RigidMotion: Equatable, Sendable {
    /// How far the device is turned about the vertical (yaw), then about its x axis (pitch), then about its y axis
    /// (roll), in radians.
    package var yaw = Wave()
    package var pitch = Wave()
    package var roll = Wave()
    /// Where it is: east, north and up, in metres.
    package var east = Wave()
    package var north = Wave()
    package var up = Wave()
    package var pace = Pace()
    /// The field of the place, in microtesla.
    package var field = FieldShape(strength: 49.4, dipDegrees: 67)

    package static let gravity = 9.80665

    /// A device that lies flat, with its top edge to the north.
    package init() {}

    /// A telephone in a hand: it looks around and is waved about.
    ///
    /// A vigour of 1 turns it by some 100° a second.
    package static func hand(vigour: Double = 1, pace: Pace = Pace()) -> Self {
        var motion = Self()
        motion.yaw = Wave(amplitude: 1.6, hertz: 0.13 * vigour)
        motion.pitch = Wave(offset: 0.5, amplitude: 0.7, hertz: 0.31 * vigour)
        motion.roll = Wave(amplitude: 0.9, hertz: 0.23 * vigour, phaseRadians: 1)
        motion.east = Wave(amplitude: 0.3, hertz: 0.41 * vigour)
        motion.north = Wave(amplitude: 0.2, hertz: 0.53 * vigour, phaseRadians: 2)
        motion.up = Wave(amplitude: 0.1, hertz: 0.67 * vigour)
        motion.pace = pace
        return motion
    }

    /// What is true, and what perfect sensors measure, at one time.
    package struct Moment: Equatable, Sendable {
        /// From the device's axes to magnetic east, magnetic north and up.
        package let attitude: Quaternion
        /// In radians per second, along the device's axes.
        package let rate: Vector3
        /// What an accelerometer measures, in metres per second squared, along the device's axes.
        package let acceleration: Vector3
        /// In microtesla, along the device's axes.
        package let field: Vector3
    }

    package func moment(at seconds: Double) -> Moment {
        let now = pace.instant(at: seconds)
        let turned =
            Quaternion(turningBy: Vector3(x: pitch.value(at: now.seconds), y: 0, z: 0))
            * Quaternion(turningBy: Vector3(x: 0, y: roll.value(at: now.seconds), z: 0))
        let attitude = Quaternion(turningAboutVerticalBy: yaw.value(at: now.seconds)) * turned
        let rolled = Quaternion(turningBy: Vector3(x: 0, y: roll.value(at: now.seconds), z: 0)).inverse
        let rate =
            turned.inverse.turn(Vector3(x: 0, y: 0, z: yaw.first(at: now.seconds)))
            + rolled.turn(Vector3(x: pitch.first(at: now.seconds), y: 0, z: 0))
            + Vector3(x: 0, y: roll.first(at: now.seconds), z: 0)
        let pushed = Vector3(x: push(east, now), y: push(north, now), z: push(up, now) + Self.gravity)
        return Moment(
            attitude: attitude, rate: rate * now.speed, acceleration: attitude.inverse.turn(pushed),
            field: attitude.inverse.turn(Vector3(x: 0, y: field.horizontal, z: -field.downward)))
    }

    /// The second derivative by the world's time of a wave that goes by the motion's own.
    private func push(_ wave: Wave, _ now: Pace.Instant) -> Double {
        wave.second(at: now.seconds) * now.speed * now.speed + wave.first(at: now.seconds) * now.change
    }
}
