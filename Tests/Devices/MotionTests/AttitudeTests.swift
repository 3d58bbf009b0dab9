import Motion
import Testing

@Suite struct AttitudeTests {
    @Test("a hand's motion is followed: tilt within half a degree, and no heading is lost")
    func hand() {
        var filter = MotionFilter()
        let lines = Play().run(&filter, to: 60)
        let isKnown = lines.after(12).isKnown
        #expect(isKnown)
        #expect(lines.after(15).rms(\.tilt) < 0.4)
        let turned = lines.after(15).map(\.heading)
        #expect(turned.max()! - turned.min()! < 0.2)
    }

    @Test("slow sensors lose little: 50 Hz and 25 Hz", arguments: [(50.0, 0.4), (25.0, 0.5)])
    func slow(hertz: Double, degrees: Double) {
        var filter = MotionFilter()
        var play = Play()
        (play.rateHertz, play.accelerationHertz) = (hertz, hertz)
        #expect(play.run(&filter, to: 60).after(15).rms(\.tilt) < degrees)
    }

    @Test("rates of their own, and times that jitter")
    func apart() {
        var filter = MotionFilter.compass()
        var play = Play()
        (play.accelerationHertz, play.fieldHertz, play.jitter) = (62.5, 25, 0.3)
        let lines = play.run(&filter, to: 60)
        #expect(lines.after(15).rms(\.tilt) < 0.4)
        #expect(lines.after(30).rms(\.heading) < 1)
    }

    @Test("a shake that no mean of samples shows: 10 Hz, measured at 100")
    func shake() {
        var motion = RigidMotion()
        motion.pitch = Wave(amplitude: 0.05, hertz: 10)
        motion.roll = Wave(amplitude: 0.05, hertz: 10, phaseRadians: 1.5)
        var filter = MotionFilter()
        var play = Play()
        play.motion = motion
        let lines = play.run(&filter, to: 60)
        #expect(lines.after(15).rms(\.tilt) < 0.6)
        // Such a wobble (coning) makes a filter that adds up its rates lose 4.5° of heading a second: 200° here.
        let turned = lines.after(15).map(\.heading)
        #expect(abs(turned.last! - turned.first!) < 3)
    }

    @Test("fast translation does not tip it over")
    func translation() {
        var filter = MotionFilter()
        var play = Play()
        play.motion.east = Wave(amplitude: 0.5, hertz: 1.1)
        play.motion.north = Wave(amplitude: 0.5, hertz: 0.9)
        #expect(play.run(&filter, to: 60).after(15).rms(\.tilt) < 0.8)
    }

    @Test("gravity and the device's own acceleration add up to what was measured")
    func accelerations() throws {
        var filter = MotionFilter()
        let play = Play()
        play.run(&filter, to: 40)
        let moment = play.motion.moment(at: 39.99)
        let gravity = try #require(filter.gravityVector)
        let own = try #require(filter.linearAcceleration)
        #expect((gravity + own - moment.acceleration).length < 0.01)
        let up = moment.attitude.inverse.turn(Vector3(x: 0, y: 0, z: RigidMotion.gravity))
        #expect((gravity - up).length < 0.05)
    }

    @Test("at rest a device has no acceleration, though its accelerometer shows 9.7")
    func gravityIsMeasured() throws {
        var filter = MotionFilter()
        var play = Play()
        play.motion = RigidMotion()
        play.accelerometerOffset = Vector3(x: 0, y: 0, z: -0.1)
        play.run(&filter, to: 5)
        #expect(try #require(filter.linearAcceleration).length < 0.01)
        #expect(abs(try #require(filter.gravityVector).z - 9.70665) < 0.01)
    }
}
