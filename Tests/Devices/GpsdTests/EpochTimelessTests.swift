import Readings
import Testing

@testable import Gpsd

/// Reports without a time: from receivers without a fix, without a clock, or before gpsd knows the date.
@Suite struct EpochTimelessTests {
    @Test(
        "a position whose time follows in its cycle is one reading, when the fix returns", arguments: [200, 500, 890])
    func fixReturns(delay: Int64) {
        var stream = EpochStream()
        for cycle in Int64(0)..<5 {
            for offset in [Int64(0), 95, 130, 160] { stream.report(at: cycle * 1000 + offset, mode: 1) }
        }
        stream.report(at: 5000, mode: 2)
        for offset in [delay, delay + 60] { stream.report(at: 5000 + offset, second: 5, speed: 1) }
        stream.report(at: 6000 + delay, second: 6)
        stream.run(until: 9000)
        #expect(stream.seconds == [nil, nil, nil, nil, nil, 5, 6])
        #expect(stream.fixes.suffix(2) == [.threeDimensional, .threeDimensional])
        #expect(stream.readings[5].location.speedMetersPerSecond == 1)
    }

    @Test("the same if the cycle began with a report without a fix")
    func fixReturnsWithinCycle() {
        var stream = EpochStream()
        stream.report(at: 0, mode: 1)
        stream.report(at: 1000, mode: 1)
        stream.report(at: 1600, mode: 3)
        stream.report(at: 1800, second: 1)
        stream.report(at: 2800, second: 2)
        stream.run(until: 5000)
        #expect(stream.seconds == [nil, nil, 1, 2])
        #expect(stream.fixes == [.noPosition, .noPosition, .threeDimensional, .threeDimensional])
    }

    @Test("positions of a receiver without a clock are a reading a cycle, flaps or not", arguments: [false, true])
    func noClock(flaps: Bool) {
        var stream = EpochStream()
        for second in Int64(0)..<10 {
            if flaps, second > 0 { stream.report(at: second * 1000 - 200, mode: 1) }
            stream.report(at: second * 1000, mode: 3, speed: 9)
            stream.report(at: second * 1000 + 200, mode: 3, speed: 1)
            if flaps { stream.report(at: second * 1000 + 300, mode: 0) }
            stream.report(at: second * 1000 + 700, mode: 3, track: 90)
        }
        stream.run(until: 11_000)
        let starts: [Int64] = (0..<10).map { $0 * 1000 }
        #expect(stream.stampsMilliseconds == starts)
        #expect(stream.fixes.allSatisfy { $0 == .threeDimensional })
        #expect(stream.readings.allSatisfy { $0.location.speedMetersPerSecond == 1 })
        #expect(stream.readings.allSatisfy { $0.location.trackDegrees == 90 })
        #expect(stream.leftAtMilliseconds == starts.map { $0 + 900 })
    }

    @Test("a receiver that loses its clock but not its position continues with a reading per cycle")
    func clockLost() {
        var stream = EpochStream()
        for second in Int64(0)..<15 { stream.report(at: second * 1000, second: Double(second)) }
        for second in Int64(14)..<20 { stream.report(at: second * 1000 + 200, mode: 3) }
        stream.run(until: 22_000)
        let timed: [Int64] = (0..<15).map { $0 * 1000 }
        #expect(stream.stampsMilliseconds == timed + [15_200, 16_200, 17_200, 18_200, 19_200])
        #expect(stream.fixes.allSatisfy { $0 == .threeDimensional })
    }

    @Test("reports that trail the last timed epoch make no reading")
    func trailing() {
        var stream = EpochStream()
        for second in Int64(0)..<15 { stream.report(at: second * 1000, second: Double(second), mode: 1) }
        for second in Int64(14)..<18 {
            for offset in [Int64(150), 180] { stream.report(at: second * 1000 + offset, mode: 1) }
        }
        stream.run(until: 20_000)
        let timed: [Int64] = (0..<15).map { $0 * 1000 }
        #expect(stream.stampsMilliseconds == timed + [15_150, 16_150, 17_150])
    }
}
