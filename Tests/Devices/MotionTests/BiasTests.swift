import Motion
import Testing

@Suite struct BiasTests {
    private static let bias = Vector3(x: 0.5, y: -0.5, z: 0.5) * Play.degree

    private static func play(_ motion: RigidMotion) -> Play { .ofChip(motion, bias: bias) }

    @Test("at rest it is learnt within seconds")
    func rest() {
        var filter = MotionFilter()
        Self.play(RigidMotion()).run(&filter, to: 10)
        #expect(filter.isAtRest)
        #expect((filter.bias.value - Self.bias).length < 0.05 * Play.degree)
        #expect(filter.bias.uncertainty < 0.1 * Play.degree)
    }

    @Test("so is that of a chip as bad as they are sold", arguments: [5.0, 15.0])
    func bad(degrees: Double) {
        var filter = MotionFilter()
        var play = Self.play(RigidMotion())
        play.bias = Vector3(x: degrees, y: 0, z: -degrees) * Play.degree
        play.run(&filter, to: 20)
        #expect((filter.bias.value - play.bias).length < 0.1 * Play.degree)
    }

    @Test("in motion its horizontal part is learnt as well, which halves the tilt's error")
    func motion() {
        var filter = MotionFilter()
        let lines = Self.play(.hand()).run(&filter, to: 180)
        #expect(!filter.isAtRest)
        #expect((filter.bias.value - Self.bias).length < 0.25 * Play.degree)
        #expect(lines.after(120).rms(\.tilt) < 0.6)
    }

    @Test("one that was learnt before holds from the start")
    func stored() {
        var calibration = MotionCalibration()
        calibration.bias = GyroscopeBias(Self.bias, uncertain: 0.05 * Play.degree)
        var filter = MotionFilter(calibration)
        let lines = Self.play(.hand()).run(&filter, to: 60)
        #expect(lines.after(10).rms(\.tilt) < 0.4)
        let turned = lines.after(15).map(\.heading)
        #expect(abs(turned.last! - turned.first!) < 1.5)
    }

    @Test("a slow, even turn is not taken for one, once it is known")
    func turntable() {
        var calibration = MotionCalibration()
        calibration.bias = GyroscopeBias(.zero, uncertain: 0.05 * Play.degree)
        var filter = MotionFilter(calibration)
        var play = Play()
        play.motion = RigidMotion()
        play.motion.yaw = Wave(slope: 3 * Play.degree)
        let lines = play.run(&filter, to: 60)
        #expect(!filter.isAtRest)
        #expect(filter.bias.value.length < 0.05 * Play.degree)
        #expect(abs(lines.last!.heading - lines.after(5)[0].heading) < 3)
    }
}
