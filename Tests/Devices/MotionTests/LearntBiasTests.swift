import Motion
import Testing

/// What a filter has learnt of a gyroscope's bias, for the next run.
@Suite struct LearntBiasTests {
    private static let bias = Vector3(x: 0.5, y: -0.5, z: 0.5) * Play.degree

    private static func play(_ motion: RigidMotion) -> Play { .ofChip(motion, bias: bias) }

    private func learnt(celsius: Double? = nil, error: Double = 0.03) throws -> SensorCalibration {
        try #require(
            SensorCalibration(
                offset: Self.bias, error: error * Play.degree, utcSeconds: 1_800_000_000, celsius: celsius))
    }

    @Test("it lasts if it was seen at rest, and no longer may be a turn")
    func lasting() throws {
        var filter = MotionFilter()
        Self.play(.hand()).run(&filter, to: 60)
        #expect(filter.lastingBias == nil, "it never rested")
        filter = MotionFilter()
        Self.play(RigidMotion()).run(&filter, to: 10)
        #expect(filter.lastingBias == nil, "it may yet turn")
        Self.play(RigidMotion()).run(&filter, from: 10, to: 60)
        let lasting = try #require(filter.lastingBias)
        #expect((lasting.value - Self.bias).length < 0.05 * Play.degree)
        #expect(lasting.uncertainty < 0.1 * Play.degree)
        filter = MotionFilter()
        let play = Self.play(.hand(pace: Pace(restSeconds: 8, movingSeconds: 30)))
        play.run(&filter, to: 12)
        #expect(filter.lastingBias != nil, "a motion ended the rest")
        filter = MotionFilter()
        var turning = RigidMotion()
        turning.yaw = Wave(slope: 6 * Play.degree)
        Self.play(turning).run(&filter, to: 60)
        #expect(filter.lastingBias == nil, "it is doubtful")
    }

    @Test("each start, kelvin and day makes it less certain")
    func uncertainty() throws {
        func degrees(_ celsius: Double?, _ now: Double?, days: Int64) throws -> Double {
            GyroscopeBias(
                learnt: try learnt(celsius: celsius), utcSeconds: 1_800_000_000 + days * 86_400, celsius: now
            ).uncertainty / Play.degree
        }
        let same = try degrees(25, 25, days: 0)
        #expect(same > 0.1 && same < 0.11)
        #expect(try degrees(25, 45, days: 0) > 0.4)
        #expect(try degrees(25, nil, days: 0) > same)
        #expect(try degrees(nil, 25, days: 0) == degrees(25, nil, days: 0))
        #expect(try degrees(25, 25, days: 100) > 0.2)
        #expect(try degrees(25, 25, days: 1_000_000) < 0.81, "no less is known than of any chip")
        #expect(try degrees(25, 25, days: -1) == same, "a clock is not set")
    }

    @Test("with it, a device that never rests has a heading that hardly drifts")
    func next() throws {
        var calibration = MotionCalibration()
        calibration.bias = GyroscopeBias(learnt: try learnt(), utcSeconds: 1_800_000_000, celsius: nil)
        var filter = MotionFilter(calibration)
        let lines = Self.play(.hand()).run(&filter, to: 60)
        let turned = lines.after(15).map(\.heading)
        #expect(abs(turned.last! - turned.first!) < 1.5)
        #expect(lines.after(10).rms(\.tilt) < 0.4)
    }

    @Test("what a filter began with it has not learnt, until it sees a rest")
    func former() throws {
        var calibration = MotionCalibration()
        calibration.bias = GyroscopeBias(Self.bias, uncertain: 0.1 * Play.degree)
        var filter = MotionFilter(calibration)
        #expect(filter.lastingBias == nil, "nobody has read the gyroscope")
        Self.play(.hand()).run(&filter, to: 20)
        #expect(filter.lastingBias == nil, "it never rested")
        Self.play(RigidMotion()).run(&filter, from: 20, to: 60)
        #expect(filter.lastingBias != nil)
    }

    @Test("one that no longer holds is overruled by a long rest")
    func overruled() throws {
        var calibration = MotionCalibration()
        calibration.bias = GyroscopeBias(learnt: try learnt(), utcSeconds: 1_800_000_000, celsius: nil)
        var filter = MotionFilter(calibration)
        var play = Self.play(RigidMotion())
        play.bias = Vector3(x: 0.5, y: -0.5, z: -1) * Play.degree
        play.run(&filter, to: 30)
        #expect((filter.bias.value - play.bias).length < 0.1 * Play.degree)
    }
}
