import Motion
import Testing

@Suite struct RigidMotionTests {
    private static let motion = RigidMotion.hand(
        vigour: 1.3, pace: Pace(restSeconds: 2, movingSeconds: 5, rampSeconds: 1))

    @Test("the rate is the derivative of the attitude, and the acceleration that of the place")
    func derivatives() {
        let step = 1e-4
        for tick in 0..<700 {
            let seconds = Double(tick) * 0.031
            let moment = Self.motion.moment(at: seconds)
            let before = Self.motion.moment(at: seconds - step).attitude
            let after = Self.motion.moment(at: seconds + step).attitude
            let turn = before.inverse * after
            let rate = Vector3(x: turn.x, y: turn.y, z: turn.z) * (1 / step)
            #expect((rate - moment.rate).length < 1e-3, "at \(seconds)")
        }
    }

    @Test("at rest nothing turns, and only gravity is measured")
    func rest() {
        let moment = Self.motion.moment(at: 8)
        #expect(moment.rate.length == 0)
        #expect(abs(moment.acceleration.length - RigidMotion.gravity) < 1e-12)
        #expect(Self.motion.moment(at: 8.5).attitude == moment.attitude)
    }

    @Test("what is accelerated returns: the mean acceleration over a whole swing is gravity")
    func mean() {
        var motion = RigidMotion()
        motion.east = Wave(amplitude: 0.3, hertz: 1)
        let sum = (0..<1_000).reduce(Vector3.zero) { $0 + motion.moment(at: Double($1) / 1_000).acceleration }
        #expect(abs(sum.x) < 1e-6 && abs(sum.z / 1_000 - RigidMotion.gravity) < 1e-9)
        #expect(motion.moment(at: 0.25).acceleration.x < -11)
    }

    @Test("the field is that of the place, in whichever attitude")
    func field() {
        for seconds in [2.5, 4.0, 5.1] {
            let moment = Self.motion.moment(at: seconds)
            let field = moment.attitude.turn(moment.field)
            #expect(abs(field.x) < 1e-9)
            #expect(abs(field.y - Self.motion.field.horizontal) < 1e-9)
            #expect(abs(field.z + Self.motion.field.downward) < 1e-9)
        }
    }
}
