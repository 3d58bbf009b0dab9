package import Motion

/// The motion of a simulated host, or of a part of it that moves on the host: the same for all sensors there, in closed
/// form.
package struct HostMotion: Sendable {
    /// That of what carries all else; nil: it rests.
    private var formula: MotionFormula?
    /// What a scenario describes: each is carried by the former one.
    private var sequences: [MotionSequence] = []

    /// A motion that a scenario describes.
    package init(_ sequence: MotionSequence) { sequences = [sequence] }

    private init(_ motion: RigidMotion) { formula = MotionFormula(motion) }

    /// A part that moves on this one.
    package func carrying(_ sequence: MotionSequence) -> Self {
        var part = self
        part.sequences.append(sequence)
        return part
    }

    /// What is true at a time after the start, in the field of a place.
    package func moment(
        atSeconds seconds: Double, in field: FieldShape, _ wanted: MotionParts = .all
    ) -> Moment {
        let moment = formula?.moment(at: seconds, in: field, wanted) ?? Moment(atRestIn: field)
        return sequences.reduce(moment) { $0.carrying($1.relative(at: seconds), wanted) }
    }

    /// A device in a hand: its screen leans back by some 30°, every twenty seconds it is turned from upright to its left
    /// side or back, and for half of each minute it is carried about.
    ///
    /// The seed decides where its slow swings begin.
    package static func held(seed: UInt64) -> Self {
        func swing(_ place: UInt64, about offset: Double, by amplitude: Double, every seconds: Double) -> Wave {
            Wave(
                offset: offset, amplitude: amplitude, hertz: 1 / seconds,
                phaseRadians: Noise.fraction(place, seed: seed) * 2 * .pi)
        }
        let quarter = Double.pi / 4
        let steps = Pace(restSeconds: 30, movingSeconds: 30, rampSeconds: 5)
        var motion = RigidMotion()
        motion.yaw = swing(0, about: 0, by: 0.5, every: 29)
        motion.pitch = swing(1, about: .pi / 3, by: 0.2, every: 17)
        // No hand is as even as the others, which a filter would take for a gyroscope's bias at rest.
        motion.roll = swing(2, about: 0, by: 0.1, every: 2.3)
        motion.spin = Wave(
            offset: -quarter, amplitude: quarter, hertz: 0.5, phaseRadians: .pi / 2,
            pace: Pace(restSeconds: 18, movingSeconds: 2, rampSeconds: 1))
        // Two steps a second, of 1 m/s², and left and right foot alternate.
        motion.up = Wave(amplitude: 0.007, hertz: 1.9, pace: steps)
        motion.east = Wave(amplitude: 0.011, hertz: 0.95, pace: steps)
        return Self(motion)
    }
}
