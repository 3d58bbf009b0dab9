import Readings
import Testing

@testable import Gpsd

/// What the driver learns from the first epochs of a receiver, and from late reports.
@Suite struct EpochLearningTests {
    @Test("an epoch that a slow line stretches over most of its second has its last values, from the first one on")
    func slowLine() {
        var stream = EpochStream()
        for second in Int64(0)..<30 {
            let time = Double(second)
            stream.report(at: second * 1000, second: time, speed: 9)
            // The number of reports varies, so only a pause can end an epoch.
            if second % 3 == 0 { stream.report(at: second * 1000 + 150, second: time, speed: 8) }
            stream.report(at: second * 1000 + 660, second: time, speed: 1, track: 90)
        }
        stream.run(until: 32_000)
        #expect(stream.seconds == (0..<30).map { Double($0) })
        #expect(stream.stampsMilliseconds == (0..<30).map { $0 * 1000 })
        #expect(stream.readings.allSatisfy { $0.location.speedMetersPerSecond == 1 })
        #expect(stream.readings.allSatisfy { $0.location.trackDegrees == 90 })
        #expect(stream.assembler.lateReports == 0)
    }

    @Test("pauses that become longer cost only one reading its last values")
    func longerPauses() {
        var stream = EpochStream()
        for second in Int64(0)..<40 {
            let time = Double(second)
            stream.report(at: second * 1000, second: time, speed: 9)
            if second % 3 == 0 { stream.report(at: second * 1000 + 30, second: time, speed: 8) }
            stream.report(at: second * 1000 + (second < 21 ? 100 : 500 + second * 10), second: time, speed: 1)
        }
        stream.run(until: 42_000)
        #expect(stream.seconds == (0..<40).map { Double($0) })
        #expect(stream.assembler.lateReports == 1)
        #expect(stream.readings.count { $0.location.speedMetersPerSecond != 1 } == 1)
    }

    @Test(
        "an epoch that begins with the shape of the last one's end, and then pauses, waits for the rest",
        arguments: [480, 980])
    func earlyBeginning(_ early: Int64) {
        var stream = EpochStream()
        for second in Int64(0)..<40 {
            let time = Double(second)
            // From the twentieth on, two of its reports come after those of the next one.
            if second >= 20 {
                stream.report(at: second * 1000 - early, second: time, speed: 0.3, track: 90)
                stream.report(at: second * 1000 - early + 1, second: time, speed: 0.3, track: 90)
            }
            for report in Int64(0)..<8 {
                stream.report(at: second * 1000 + report * (early == 480 ? 20 : 2), second: time, speed: 3, track: 90)
            }
        }
        stream.run(until: 42_000)
        #expect(stream.seconds == (0..<40).map { Double($0) })
        #expect(stream.readings.allSatisfy { $0.location.speedMetersPerSecond == 3 })
        #expect(stream.assembler.lateReports == 0)
        // Fewer reports are expected for a while, then as many as usual.
        #expect(stream.delaysMilliseconds[5..<20].allSatisfy { $0 <= 200 })
    }

    @Test("at ten epochs a second, too, a pause may be nearly as long as the interval")
    func fastAndDrawnOut() {
        var stream = EpochStream()
        for tenth in Int64(0)..<60 {
            let time = Double(tenth) / 10
            stream.report(at: tenth * 100, second: time, speed: 9)
            if tenth % 3 == 0 { stream.report(at: tenth * 100 + 10, second: time, speed: 8) }
            stream.report(at: tenth * 100 + 75, second: time, speed: 1)
        }
        stream.run(until: 8000)
        #expect(stream.readings.count == 60)
        #expect(stream.readings.allSatisfy { $0.location.speedMetersPerSecond == 1 })
    }

    @Test("one report that a busy host delayed is forgotten, and readings soon come without delay again")
    func hiccup() {
        var stream = EpochStream()
        for second in Int64(0)..<80 {
            stream.report(at: second * 1000, second: Double(second))
            let pause: Int64 = second == 20 ? 700 : 40
            if second % 3 != 0 { stream.report(at: second * 1000 + pause, second: Double(second)) }
        }
        stream.run(until: 82_000)
        #expect(stream.seconds == (0..<80).map { Double($0) })
        let delays = stream.delaysMilliseconds
        #expect(delays[5..<20].allSatisfy { $0 <= 120 })
        #expect(delays[21..<25].allSatisfy { $0 >= 900 })
        #expect(delays[60...].allSatisfy { $0 <= 120 })
    }

    @Test("a flap at the beginning of an epoch teaches nothing about pauses in the one before")
    func flapBetween() {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            stream.report(at: second * 1000 - 50, mode: 0)
            stream.report(at: second * 1000, second: Double(second))
            if second % 3 == 0 { stream.report(at: second * 1000 + 100, second: Double(second)) }
        }
        stream.run(until: 21_000)
        #expect(stream.seconds == (0..<20).map { Double($0) })
        let delays = stream.delaysMilliseconds
        #expect(delays[4...].allSatisfy { $0 <= 270 })
    }
}
