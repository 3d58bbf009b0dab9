import Motion

/// A hand's motion of three minutes at 100 Hz, with rests: rows of rate, acceleration, field, true attitude (w first), and whether
/// it moves.
enum Rows {
    static func write(hand vigour: Double) {
        let pace = Pace(restSeconds: 20, movingSeconds: 70, rampSeconds: 1)
        let motion = RigidMotion.hand(vigour: vigour, pace: pace)
        var rows = Output()
        for index in 0..<18_000 {
            let seconds = Double(index) / 100
            let moment = motion.moment(at: seconds)
            for vector in [moment.rate, moment.acceleration, moment.field] { rows.add([vector.x, vector.y, vector.z]) }
            rows.add(moment.attitude)
            rows.add([seconds.truncatingRemainder(dividingBy: 90) > 20 ? 1 : 0])
        }
        rows.write()
    }
}
