import Motion
import Testing

/// A turn that is slow and even, or a slow sway, from the first start on: to a gyroscope alone it is a bias.
@Suite struct SlowTurnTests {
    enum Axis {
        case vertical
        case horizontal
    }

    private static func play(_ motion: RigidMotion, bias: Vector3 = .zero) -> Play {
        var play = Play()
        play.motion = motion
        play.bias = bias
        play.rateNoise = 0.1 * Play.degree
        play.accelerationNoise = 0.03
        play.fieldHertz = 25
        play.fieldNoise = 0.5
        return play
    }

    private static func turning(_ degreesPerSecond: Double, pace: Pace = Pace()) -> RigidMotion {
        var motion = RigidMotion()
        motion.yaw = Wave(slope: degreesPerSecond * Play.degree, pace: pace)
        return motion
    }

    private static func swaying(
        about axis: Axis, _ degreesPerSecond: Double, every seconds: Double
    )
        -> RigidMotion
    {
        let wave = axis == .vertical ? \RigidMotion.yaw : \.pitch
        var motion = RigidMotion()
        motion.pitch.offset = 0.5
        motion[keyPath: wave].amplitude = degreesPerSecond * Play.degree * seconds / (2 * .pi)
        motion[keyPath: wave].hertz = 1 / seconds
        motion[keyPath: wave].phaseRadians = 0.4
        return motion
    }

    @Test("an even turn is no rest: the field turns", arguments: [1.0, 1.5, 3, 6, 15])
    func turnWithField(degreesPerSecond: Double) {
        var filter = MotionFilter.compass()
        let lines = Self.play(Self.turning(degreesPerSecond)).run(&filter, to: 120)
        #expect(!filter.isAtRest)
        #expect(filter.bias.value.length < 0.1 * Play.degree)
        #expect(lines.rms(\.heading) < 2)
        #expect(lines.honestHeadings > 0.95)
    }

    @Test("without a magnetometer, what no chip should show is not believed for long", arguments: [3.0, 6, 15])
    func turnWithoutField(degreesPerSecond: Double) {
        var filter = MotionFilter()
        var lines = Self.play(Self.turning(degreesPerSecond)).run(&filter, to: 9)
        #expect(!filter.isAtRest)
        #expect(filter.bias.value.length < 0.1 * Play.degree)
        lines = lines.after(1)
        #expect(abs([Play.Line].wrapped(lines.last!.heading - lines[0].heading)) < 1)
    }

    @Test("then it is, with doubt, until the turn ends")
    func doubt() {
        var filter = MotionFilter()
        let play = Self.play(Self.turning(6, pace: Pace(restSeconds: 30, movingSeconds: 60)))
        play.run(&filter, from: 35, to: 80)
        #expect(filter.isAtRest)
        #expect(filter.bias.uncertainty > 2.9 * Play.degree, "the truth is within two of it")
        play.run(&filter, from: 80, to: 110)
        #expect(filter.isAtRest)
        #expect(filter.bias.value.length < 0.05 * Play.degree)
        #expect(filter.bias.uncertainty < 0.1 * Play.degree)
        play.run(&filter, from: 110, to: 170)
        #expect(!filter.isAtRest, "it was one before")
        #expect(filter.bias.value.length < 0.05 * Play.degree)
    }

    @Test(
        "a sway is no rest: gravity turns, or the rate does not stay",
        arguments: [Axis.vertical, .horizontal], [(1.5, 40.0), (6, 40), (6, 60)])
    func sway(about axis: Axis, _ rate: (Double, Double)) {
        let play = Self.play(Self.swaying(about: axis, rate.0, every: rate.1))
        var filter = MotionFilter()
        let tilts = play.run(&filter, to: 197)
        #expect(filter.bias.value.length < 0.1 * Play.degree)
        #expect(tilts.rms(\.tilt) < 0.5)
        #expect(tilts.honestTilts > 0.95)
        filter = .compass()
        let headings = play.run(&filter, to: 197)
        #expect(filter.bias.value.length < 0.1 * Play.degree)
        #expect(headings.rms(\.heading) < 2)
        #expect(headings.honestHeadings > 0.95)
    }

    @Test("a bias that was seen at rest outlives a sway", arguments: [1.5, 6.0])
    func swayAfterRest(degreesPerSecond: Double) {
        var play = Self.play(RigidMotion(), bias: Vector3(x: 1, y: -1, z: 1) * Play.degree)
        var filter = MotionFilter()
        play.run(&filter, to: 30)
        play.motion = Self.swaying(about: .vertical, degreesPerSecond, every: 60)
        play.run(&filter, from: 31, to: 228)
        #expect((filter.bias.value - play.bias).length < 0.1 * Play.degree)
    }

    @Test(
        "a bad chip at rest is seen at once where the field shows it, else within ten seconds", arguments: [3.0, 5, 15])
    func badChip(degreesPerSecond: Double) {
        var play = Self.play(RigidMotion(), bias: Vector3(x: 0, y: 0, z: degreesPerSecond) * Play.degree)
        var filter = MotionFilter.compass()
        play.run(&filter, to: 5)
        #expect(filter.isAtRest)
        #expect((filter.bias.value - play.bias).length < 0.1 * Play.degree)
        play.bias = Vector3(x: degreesPerSecond, y: -degreesPerSecond, z: degreesPerSecond) * Play.degree
        filter = MotionFilter()
        play.run(&filter, to: 13)
        #expect(filter.isAtRest)
        #expect((filter.bias.value - play.bias).length < 0.1 * Play.degree)
    }

    @Test("a longer rest overrules what a short turn taught")
    func overruled() {
        var filter = MotionFilter()
        let play = Self.play(Self.turning(1.5, pace: Pace(restSeconds: 30, movingSeconds: 30)))
        play.run(&filter, from: 32, to: 58)
        #expect(filter.bias.value.length > 1.4 * Play.degree)
        play.run(&filter, from: 58, to: 88)
        #expect(filter.isAtRest)
        #expect(filter.bias.value.length < 0.1 * Play.degree)
    }

    @Test("what was learnt in motion is not forgotten as a slow turn")
    func rolling() {
        var motion = RigidMotion()
        motion.roll = Wave(amplitude: 1 * Play.degree, hertz: 0.125)
        let play = Self.play(motion, bias: Vector3(x: 0.7, y: -0.4, z: 0) * Play.degree)
        var filter = MotionFilter()
        let lines = play.run(&filter, to: 120)
        #expect(!filter.isAtRest)
        #expect((filter.bias.value - play.bias).length < 0.1 * Play.degree)
        #expect(lines.after(60).rms(\.tilt) < 0.6)
    }

    @Test("a field that another thing turns does not end a rest")
    func movedMagnet() {
        var play = Self.play(RigidMotion())
        var filter = MotionFilter.compass()
        play.run(&filter, to: 20)
        play.magnet = Vector3(x: 15, y: -10, z: 0)
        play.magnetSeconds = 25...40
        let bias = filter.bias
        for second in 20..<60 {
            play.run(&filter, from: Double(second), to: Double(second + 1))
            #expect(filter.isAtRest)
        }
        #expect((filter.bias.value - bias.value).length < 0.05 * Play.degree)
    }
}
