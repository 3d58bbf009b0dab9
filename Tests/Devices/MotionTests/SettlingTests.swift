import Motion
import SensorValues
import Testing

@Suite struct SettlingTests {
    @Test("nothing is reported before the first acceleration")
    func nothing() {
        var filter = MotionFilter()
        for index in 0..<100 { filter.take(rate: .zero, at: BootTime(nanoseconds: Int64(index) * 10_000_000)) }
        #expect(!filter.isSettled && filter.attitude == nil && filter.gravityVector == nil)
        #expect(filter.linearAcceleration == nil && filter.rotation == nil)
        #expect(filter.tiltErrorRadians == .pi && filter.headingErrorRadians == .pi)
    }

    @Test("at rest it settles at once")
    func rest() throws {
        var filter = MotionFilter()
        var play = Play()
        play.motion = RigidMotion()
        play.motion.pitch = Wave(offset: 1)
        let first = try #require(play.run(&filter, to: 1).known.first)
        #expect(first.seconds < 0.1)
        #expect(first.tilt < 0.1)
    }

    @Test("in motion it is quiet first, and what it then reports is right", arguments: [0.5, 1.0, 2.0])
    func motion(vigour: Double) throws {
        var filter = MotionFilter()
        var play = Play()
        play.motion = .hand(vigour: vigour)
        let lines = play.run(&filter, from: 3, to: 40)
        let first = try #require(lines.known.first)
        #expect(first.seconds > 3.2 && first.seconds < 13)
        #expect(lines.rms(\.tilt) < 1.5)
        #expect(lines.honestTilts > 0.95)
        let isKnown = lines.after(first.seconds).isKnown
        #expect(isKnown, "what is known does not come and go")
    }

    @Test("falling, nothing is upright")
    func falling() {
        var filter = MotionFilter()
        for index in 0..<300 {
            let time = BootTime(nanoseconds: Int64(index) * 10_000_000)
            filter.take(rate: Vector3(x: 1, y: 0, z: 0), at: time)
            filter.take(acceleration: Vector3(x: 0.01, y: 0, z: 0), at: time)
        }
        #expect(!filter.isSettled)
    }
}
