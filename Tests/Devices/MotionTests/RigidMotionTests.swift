import Foundation
import Testing

@testable import Motion

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

    @Test("yaw, pitch, roll and spin follow one another, each about an axis of what the former have made")
    func order() {
        func pace(_ rest: Double) -> Pace { Pace(restSeconds: rest, movingSeconds: 3, rampSeconds: 0.5) }
        var motion = RigidMotion()
        motion.yaw = Wave(offset: 0.3, slope: 0.7, pace: pace(1))
        motion.pitch = Wave(offset: -0.4, amplitude: 0.8, hertz: 0.21, phaseRadians: 0.5)
        motion.roll = Wave(slope: -2, amplitude: 0.5, hertz: 0.34, phaseRadians: -2, pace: pace(0.4))
        motion.spin = Wave(offset: 2.5, amplitude: 1.9, hertz: 0.13)
        func value(_ wave: Wave, _ seconds: Double) -> Double {
            let own = wave.pace.instant(at: seconds).seconds
            return wave.offset + wave.slope * own
                + wave.amplitude * sin(2 * .pi * wave.hertz * own + wave.phaseRadians)
        }
        for tick in 0..<400 {
            let seconds = Double(tick) * 0.073
            let expected =
                Quaternion(turningBy: Vector3(x: 0, y: 0, z: value(motion.yaw, seconds)))
                * Quaternion(turningBy: Vector3(x: value(motion.pitch, seconds), y: 0, z: 0))
                * Quaternion(turningBy: Vector3(x: 0, y: value(motion.roll, seconds), z: 0))
                * Quaternion(turningBy: Vector3(x: 0, y: 0, z: value(motion.spin, seconds)))
            let turned = expected.inverse * motion.moment(at: seconds).attitude
            #expect(Vector3(x: turned.x, y: turned.y, z: turned.z).length < 1e-13, "at \(seconds)")
            #expect(abs(abs(turned.w) - 1) < 1e-13)
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
