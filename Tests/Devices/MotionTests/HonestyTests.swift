import Motion
import TestTools
import Testing

/// In 95 of 100 cases, the truth is within two of the errors that are reported.
@Suite struct HonestyTests {
    @Test("of many chips, each as wrong as its kind may be", arguments: 1...12)
    func chips(seed: Int) {
        var random = Die(seed: UInt64(seed))
        var play = Play()
        play.seed = UInt64(seed)
        play.motion = .hand(
            vigour: random.value(0.4, 2.5),
            pace: Pace(restSeconds: random.value(0, 5), movingSeconds: random.value(10, 60)))
        play.rateHertz = [50, 100, 200][seed % 3]
        play.accelerationHertz = play.rateHertz
        play.fieldHertz = 50
        play.bias = random.vector(1 * Play.degree)
        play.accelerometerOffset = random.vector(0.25)
        play.rateNoise = 0.1 * Play.degree
        play.accelerationNoise = 0.05
        play.fieldNoise = 0.5
        play.gaps = stride(from: 40.0, to: 120, by: 17).map { $0..<($0 + random.value(0.02, 1)) }
        var filter = MotionFilter.compass()
        let lines = play.run(&filter, to: 120)
        let isEverKnown = lines.isNorthEverKnown
        #expect(isEverKnown)
        #expect(lines.honestTilts > 0.95)
        #expect(lines.honestHeadings > 0.95)
    }

    @Test("a long curve leans the vertical, and the error shows it")
    func curve() {
        // A car on a roundabout: 3 m/s² towards its centre for a minute and a half.
        var play = Play()
        play.motion = RigidMotion()
        play.motion.yaw = Wave(slope: 0.3)
        let radius = 3 / 0.09
        play.motion.east = Wave(amplitude: radius, hertz: 0.3 / (2 * .pi))
        play.motion.north = Wave(amplitude: radius, hertz: 0.3 / (2 * .pi), phaseRadians: .pi / 2)
        var filter = MotionFilter()
        let honest = play.run(&filter, to: 90).honestTilts
        #expect(honest > 0.95)
    }

    @Test("the error of an accelerometer is learnt from what its length is while it turns")
    func accelerometer() {
        var filter = MotionFilter()
        Play().run(&filter, to: 20)
        let before = filter.tiltErrorRadians
        Play().run(&filter, from: 20, to: 200)
        #expect(filter.tiltErrorRadians < before / 2)
    }
}

/// Even random numbers.
private struct Die {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func value(_ from: Double, _ to: Double) -> Double { .random(in: from...to, using: &random) }

    mutating func vector(_ most: Double) -> Vector3 {
        Vector3(x: value(-most, most), y: value(-most, most), z: value(-most, most))
    }
}
