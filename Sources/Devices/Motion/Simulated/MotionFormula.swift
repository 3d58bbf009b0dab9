/// The formula of a motion, with what does not depend on time worked out once: a simulated sensor uses it for each sample.
package final class MotionFormula: Sendable {
    private let turns: FourWaves
    /// East, north and up.
    private let position: FourWaves

    package init(_ motion: RigidMotion) {
        turns = FourWaves(motion.yaw, motion.pitch, motion.roll, motion.spin)
        position = FourWaves(motion.east, motion.north, motion.up, Wave())
    }

    /// What is true at one time of a device that nothing carries.
    package func moment(at seconds: Double, in field: FieldShape, _ wanted: MotionParts) -> Moment {
        Moment(relative(at: seconds, wanted), in: field, wanted)
    }

    /// The motion on what carries the device, whose axes stand for east, north and up.
    @inline(__always)
    package func relative(at seconds: Double, _ wanted: MotionParts) -> RelativeMoment {
        let (angles, rates) = turns.valuesAndDerivatives(at: seconds, derivatives: wanted.contains(.rate))
        let halves = angles / (4 * .pi)
        let (sine, cosine) = halves.sinesAndCosinesOfTurns
        // Yaw and pitch, then roll and spin, each pair multiplied out.
        let yawed = Quaternion(
            w: cosine.x * cosine.y, x: cosine.x * sine.y, y: sine.x * sine.y, z: sine.x * cosine.y)
        let rolled = Quaternion(
            w: cosine.z * cosine.w, x: sine.z * sine.w, y: sine.z * cosine.w, z: cosine.z * sine.w)
        var relative = RelativeMoment()
        if wanted.contains(.rate) {
            // The rate about an axis that the later angles turn.
            let pitched = Quaternion(w: cosine.y, x: sine.y, y: 0, z: 0)
            let spun = Quaternion(w: cosine.w, x: 0, y: 0, z: sine.w)
            let ofYaw = pitched.inverse.turn(Vector3(x: 0, y: 0, z: rates.x))
            relative.turn(by: yawed, rate: ofYaw + Vector3(x: rates.y, y: 0, z: 0))
            relative.turn(
                by: rolled, rate: spun.inverse.turn(Vector3(x: 0, y: rates.z, z: 0)) + Vector3(x: 0, y: 0, z: rates.w))
        } else {
            relative.turn(by: yawed * rolled)
        }
        guard wanted.contains(.acceleration), let push = position.secondDerivatives(at: seconds) else {
            return relative
        }
        relative.push(relative.rotation.inverse.turn(Vector3(x: push.x, y: push.y, z: push.z)))
        return relative
    }
}
