import Motion
import Testing

@Suite struct CompassTests {
    private static func play(_ motion: RigidMotion = .hand()) -> Play {
        var play = Play()
        play.motion = motion
        play.fieldNoise = 0.5
        return play
    }

    @Test("north is found, and kept")
    func north() {
        var filter = MotionFilter.compass()
        let lines = Self.play().run(&filter, to: 120)
        let isNorthKnown = lines.after(12).isNorthKnown
        #expect(isNorthKnown)
        #expect(lines.after(40).rms(\.heading) < 0.5)
        #expect(lines.honestHeadings > 0.95)
    }

    @Test("a magnetometer that nobody calibrated shows nothing of north")
    func uncalibrated() {
        var filter = MotionFilter()
        let play = Self.play()
        play.run(&filter, to: 30)
        #expect(filter.rotation == nil && !filter.isNorthKnown && filter.headingErrorRadians == .pi)
        #expect(filter.attitude != nil)
    }

    @Test("a magnet that comes by is noticed, and passed over on the gyroscope", arguments: [10.0, 30.0])
    func magnet(microtesla: Double) {
        var filter = MotionFilter.compass()
        var play = Self.play()
        play.magnet = Vector3(x: 0.6, y: -0.64, z: 0.48) * microtesla
        play.magnetSeconds = 60...90
        let lines = play.run(&filter, to: 140)
        #expect(lines.after(30).rms(\.heading) < 2)
        #expect(lines.honestHeadings > 0.95)
        let isNorthKnown = lines.after(110).isNorthKnown
        #expect(isNorthKnown)
    }

    @Test("one that is fixed to the device from the start is doubted as soon as it turns")
    func attached() {
        var filter = MotionFilter.compass()
        var play = Self.play(.hand(pace: Pace(restSeconds: 10, movingSeconds: 300)))
        play.magnet = Vector3(x: 0.6, y: -0.64, z: 0.48) * 20
        play.magnetSeconds = 0...200
        let lines = play.run(&filter, to: 100).after(15)
        let isNorthEverKnown = lines.isNorthEverKnown
        #expect(!isNorthEverKnown)
        #expect(filter.isSettled && filter.isDisturbed)
    }

    @Test("where the place is known, it is noticed before anything turns")
    func known() {
        let motion = RigidMotion()
        var filter = MotionFilter.compass(motion.field)
        var play = Self.play(motion)
        play.magnet = Vector3(x: 0.6, y: -0.64, z: 0.48) * 20
        play.magnetSeconds = 0...200
        let isEverKnown = play.run(&filter, to: 20).isNorthEverKnown
        #expect(!isEverKnown)
        #expect(filter.isDisturbed)
    }

    @Test("another place's field is accepted once it has held while the device turned")
    func moved() {
        var filter = MotionFilter.compass()
        var play = Self.play()
        play.run(&filter, to: 60)
        play.motion.field = FieldShape(strength: 40, dipDegrees: 60)
        let lines = play.run(&filter, from: 60, to: 200)
        #expect(!filter.isDisturbed)
        #expect(lines.after(150).rms(\.heading) < 1.5)
    }

    @Test("a magnet cannot tilt the attitude")
    func tilt() {
        var filter = MotionFilter.compass()
        var play = Self.play()
        play.magnet = Vector3(x: 0, y: 0, z: 200)
        play.magnetSeconds = 20...60
        #expect(play.run(&filter, to: 60).after(15).rms(\.tilt) < 0.4)
    }
}
