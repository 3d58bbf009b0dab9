import Motion
import SensorValues
import Testing

@Suite struct GapTests {
    @Test("what is missing for up to a tenth of a second is bridged, and its error reported")
    func bridged() {
        var filter = MotionFilter()
        var play = Play()
        play.gaps = stride(from: 20.0, to: 60, by: 4).map { $0..<($0 + 0.05) }
        let lines = play.run(&filter, to: 60)
        #expect(filter.restarts == 0)
        let isKnown = lines.after(15).isKnown
        #expect(isKnown)
        #expect(lines.after(15).rms(\.tilt) < 0.5)
        #expect(lines.after(15).honestTilts > 0.95)
    }

    @Test("after more it begins anew: with the bias, and silent until it knows", arguments: [0.2, 0.5, 2.0])
    func restarted(seconds: Double) throws {
        var filter = MotionFilter()
        var play = Play()
        play.motion = .hand(pace: Pace(restSeconds: 8, movingSeconds: 30))
        play.bias = Vector3(x: 0.5, y: -0.5, z: 0.5) * Play.degree
        play.gaps = stride(from: 15.0, to: 200, by: 11).map { $0..<($0 + seconds) }
        let lines = play.run(&filter, to: 200)
        #expect(filter.restarts == play.gaps.count)
        #expect((filter.bias.value - play.bias).length < 0.1 * Play.degree)
        #expect(lines.rms(\.tilt) < 1.5)
        #expect(lines.honestTilts > 0.95)
        for gap in play.gaps {
            let first = try #require(lines.after(gap.upperBound).first)
            #expect(!first.isKnown)
        }
        #expect(lines.after(15).known.count > lines.after(15).count / 2)
    }

    @Test("a gap that is reported is one, however short")
    func reported() {
        var filter = MotionFilter()
        let play = Play()
        play.run(&filter, to: 20)
        #expect(filter.isSettled)
        filter.interrupt()
        #expect(!filter.isSettled && filter.attitude == nil && !filter.isAtRest)
        let time = BootTime(nanoseconds: 20_000_000_000)
        #expect(filter.take(acceleration: Vector3(x: 0, y: 0, z: 9.8), at: time) == .refused(.noRate))
        #expect(filter.take(rate: .zero, at: time) == .restarted)
        #expect(filter.restarts == 1)
    }

    @Test("without accelerations for a second, nothing is upright any more")
    func silentAccelerometer() {
        var filter = MotionFilter()
        Play().run(&filter, to: 20)
        for index in 0..<110 {
            let time = BootTime(nanoseconds: 20_000_000_000 + Int64(index) * 10_000_000)
            filter.take(rate: .zero, at: time)
            if index == 98 { #expect(filter.isSettled) }
        }
        #expect(!filter.isSettled)
        #expect(filter.restarts == 1)
    }

    @Test("a magnetometer that falls silent costs certainty, and nothing else")
    func silentMagnetometer() {
        var filter = MotionFilter.compass()
        var play = Play()
        play.run(&filter, to: 60)
        let before = filter.headingErrorRadians
        play.fieldHertz = 0
        play.run(&filter, from: 60, to: 180)
        #expect(filter.isSettled)
        #expect(filter.headingErrorRadians > 1.5 * before)
    }
}
