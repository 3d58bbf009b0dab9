import Readings
import Testing

@testable import Gpsd

@Suite struct EpochAssemblerTests {
    @Test("one report per second is one reading per second; the first ten wait for the next, later ones do not")
    func clean() {
        var stream = EpochStream()
        for second in Int64(0)..<30 { stream.report(at: second * 1000, second: Double(second)) }
        stream.run(until: 31_000)
        #expect(stream.seconds == (0..<30).map { Double($0) })
        #expect(stream.stampsMilliseconds == (0..<30).map { $0 * 1000 })
        let delays = stream.delaysMilliseconds
        #expect(delays.prefix(10).allSatisfy { (900...1000).contains($0) })
        #expect(delays.dropFirst(10).allSatisfy { $0 == 0 })
        #expect(stream.assembler.intervalNanoseconds == 1_000_000_000)
        #expect(stream.assembler.lateReports == 0)
    }

    @Test("several reports of one time make one reading with all known values, the last of each")
    func merged() {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            let time = Double(second)
            stream.report(at: second * 1000, second: time, speed: 14.5)
            stream.report(at: second * 1000 + 60, second: time, track: 90)
            stream.report(at: second * 1000 + 90, second: time, speed: 1.08)
        }
        stream.run(until: 21_000)
        #expect(stream.seconds == (0..<20).map { Double($0) })
        #expect(stream.stampsMilliseconds == (0..<20).map { $0 * 1000 })
        #expect(stream.readings.allSatisfy { $0.location.speedMetersPerSecond == 1.08 })
        #expect(stream.readings.allSatisfy { $0.location.trackDegrees == 90 })
        // The first report looks like the last one, so the driver learns a pause of 60 ms for both.
        let left: [Int64] = (11..<20).map { $0 * 1000 + 200 }
        #expect(Array(stream.leftAtMilliseconds.suffix(9)) == left)
    }

    @Test("a mode that flaps at the beginning or in the middle of an epoch is never delivered")
    func flaps() {
        var stream = EpochStream()
        for second in Int64(0)..<20 {
            let (start, time) = (second * 1000, Double(second))
            stream.report(at: start, mode: 0)
            stream.report(at: start + 20, second: time, mode: 1)
            stream.report(at: start + 40, second: time, mode: 3)
            stream.report(at: start + 80, mode: 1)
            stream.report(at: start + 120, second: time, mode: 3)
            stream.report(at: start + 180, mode: 0)
        }
        stream.run(until: 20_100)
        #expect(stream.seconds == (0..<20).map { Double($0) })
        #expect(stream.fixes.allSatisfy { $0 == .threeDimensional })
    }

    @Test("the last mode of an epoch counts, and removes values that it does not allow")
    func lastMode() {
        var stream = EpochStream()
        stream.report(at: 0, second: 0, mode: 3, speed: 4)
        stream.report(at: 50, second: 0, mode: 1)
        stream.report(at: 1000, second: 1, mode: 3)
        stream.run(until: 3000)
        #expect(stream.fixes == [.noPosition, .threeDimensional])
        #expect(stream.readings[0].location.speedMetersPerSecond == nil)
        #expect(!stream.readings[0].location.hasPosition)
        #expect(stream.seconds == [0, 1])
    }

    @Test("a report that comes after its epoch was delivered makes no second reading, and the next epochs are complete")
    func late() {
        var stream = EpochStream()
        for second in Int64(0)..<20 { stream.report(at: second * 1000, second: Double(second), speed: 1) }
        for second in Int64(20)..<40 {
            stream.report(at: second * 1000, second: Double(second), speed: 9)
            stream.report(at: second * 1000 + 100, second: Double(second), speed: 1)
        }
        stream.run(until: 41_000)
        #expect(stream.seconds == (0..<40).map { Double($0) })
        #expect(stream.assembler.lateReports == 1)
        #expect(stream.readings.dropFirst(21).allSatisfy { $0.location.speedMetersPerSecond == 1 })
    }

    @Test("a report of the epoch before, after the first of the next, makes no reading either")
    func swapped() {
        var stream = EpochStream()
        stream.report(at: 0, second: 0)
        stream.report(at: 1000, second: 1)
        stream.report(at: 1001, second: 0)
        stream.report(at: 1002, second: 1)
        stream.run(until: 3000)
        #expect(stream.seconds == [0, 1])
        #expect(stream.assembler.lateReports == 1)
    }

    @Test("ten epochs a second stay separate, and wait for less than half of the interval")
    func tenHertz() {
        var stream = EpochStream()
        for tenth in Int64(0)..<100 {
            stream.report(at: tenth * 100, second: Double(tenth) / 10, speed: 5)
            // The number of reports varies, so only a pause can end an epoch.
            if tenth % 3 == 0 { stream.report(at: tenth * 100 + 15, second: Double(tenth) / 10, speed: 1) }
        }
        stream.run(until: 11_000)
        #expect(stream.readings.count == 100)
        #expect(stream.assembler.intervalNanoseconds == 100_000_000)
        #expect(stream.assembler.lateReports == 0)
        for (stamp, left) in zip(stream.stampsMilliseconds, stream.leftAtMilliseconds).dropFirst(10) {
            #expect(left - stamp <= 60)
        }
    }

    @Test("a receiver without a fix makes one reading per cycle, whatever it repeats")
    func noFix() {
        var stream = EpochStream()
        for second in Int64(0)..<10 {
            for offset in [Int64(0), 60, 80, 100, 600] {
                stream.report(at: second * 1000 + offset, mode: offset == 60 ? 0 : 1)
            }
        }
        stream.run(until: 11_000)
        #expect(stream.readings.count == 10)
        #expect(stream.fixes.allSatisfy { $0 == .noPosition })
        #expect(stream.readings.allSatisfy { $0.location == Location(fix: .noPosition) })
        #expect(stream.stampsMilliseconds == (0..<10).map { $0 * 1000 })
    }

    @Test("reports without time that never pause make a reading a second")
    func endless() {
        var stream = EpochStream()
        for step in Int64(0)..<500 { stream.report(at: step * 20, mode: 1) }
        #expect((8...11).contains(stream.readings.count))
    }

    @Test("a lost fix is reported once the next epoch is overdue, and so is every cycle after it")
    func lostFix() {
        var stream = EpochStream()
        for second in Int64(0)..<15 { stream.report(at: second * 1000, second: Double(second)) }
        for second in Int64(15)..<20 { stream.report(at: second * 1000, mode: 1) }
        stream.report(at: 20_000, second: 20)
        stream.run(until: 22_000)
        #expect(
            stream.fixes.dropFirst(15) == [
                .noPosition, .noPosition, .noPosition, .noPosition, .noPosition, .threeDimensional,
            ])
        #expect(stream.leftAtMilliseconds[15] == 15_500)
        #expect(stream.leftAtMilliseconds[16] == 16_150)
    }

    @Test("a clock that stands still yields a reading per cycle, not silence")
    func stuckClock() {
        var stream = EpochStream()
        for second in Int64(0)..<12 { stream.report(at: second * 1000, second: 5, mode: 1) }
        stream.run(until: 13_000)
        #expect((3...5).contains(stream.readings.count))
    }

    @Test("a next second without a mode, reported before the fix of this one, makes no reading")
    func clockAhead() {
        var stream = EpochStream()
        for second in Int64(0)..<10 {
            stream.report(at: second * 1000, second: Double(second + 1), mode: 0)
            stream.report(at: second * 1000 + 150, second: Double(second), speed: 1)
        }
        stream.run(until: 12_000)
        #expect(stream.seconds == (0..<10).map { Double($0) })
        #expect(stream.fixes.allSatisfy { $0 == .threeDimensional })
    }

    @Test("a report with a new shape does not complete an epoch while the fix is being lost")
    func losing() {
        var stream = EpochStream()
        for second in Int64(0)..<20 { stream.report(at: second * 1000, second: Double(second), speed: 1, track: 90) }
        stream.report(at: 20_000, second: 20, speed: 1)
        stream.report(at: 20_300, second: 20, mode: 1)
        stream.run(until: 22_000)
        #expect(stream.fixes.dropFirst(19) == [.threeDimensional, .noPosition])
        #expect(stream.assembler.lateReports == 0)
    }

    @Test("additions once a second by a receiver at ten epochs a second are waited for from the start")
    func onceASecond() {
        var stream = EpochStream()
        for tenth in Int64(3)..<100 {
            stream.report(at: tenth * 100, second: Double(tenth) / 10, speed: 9)
            if tenth % 10 == 0 { stream.report(at: tenth * 100 + 26, second: Double(tenth) / 10, speed: 1) }
        }
        stream.run(until: 11_000)
        #expect(stream.readings.count == 97)
        let whole = stream.readings.filter { ($0.location.utcMicroseconds ?? 1) % 1_000_000 == 0 }
        #expect(whole.count == 9)
        #expect(whole.allSatisfy { $0.location.speedMetersPerSecond == 1 })
    }

    @Test(
        "a log replayed more slowly than it was recorded is still one reading per epoch",
        arguments: [1300, 1900, 2900] as [Int64])
    func slowPlay(step: Int64) {
        var stream = EpochStream()
        for second in Int64(0)..<30 {
            for part in Int64(0)..<4 {
                stream.report(
                    at: second * step + part * step * 3 / 10, second: Double(second), speed: part == 3 ? 1 : 9,
                    track: part == 3 ? 90 : .nan)
            }
        }
        stream.run(until: 32 * step)
        #expect(stream.seconds == (0..<30).map { Double($0) })
        #expect(stream.readings.allSatisfy { $0.location.speedMetersPerSecond == 1 })
    }

    @Test("a clock that is set back makes new epochs")
    func backwards() {
        var stream = EpochStream()
        for (index, second) in [10.0, 11, 3, 4, 5].enumerated() {
            stream.report(at: Int64(index) * 1000, second: second)
        }
        stream.run(until: 6000)
        #expect(stream.seconds == [10, 11, 3, 4, 5])
    }

    @Test("satellites are those of the newest sky, and unknown if that is old")
    func sky() {
        var stream = EpochStream()
        stream.report(at: 0, second: 0)
        stream.sky(at: 950, used: 5, visible: 9)
        stream.report(at: 1000, second: 1)
        stream.sky(at: 1010, used: 6, visible: 10)
        stream.report(at: 2000, second: 2)
        stream.report(at: 17_000, second: 17)
        stream.report(at: 18_000, second: 18)
        stream.run(until: 20_000)
        #expect(stream.readings.map(\.location.satellitesUsed) == [5, 6, 6, nil, nil])
        #expect(stream.readings.map(\.location.satellitesVisible) == [9, 10, 10, nil, nil])
    }

    @Test("a pending epoch is delivered at the end")
    func finish() {
        var assembler = EpochAssembler()
        var readings: [EpochReading] = []
        let time = FixTime(seconds: 1_600_000_000, nanoseconds: 0)
        assembler.take(FixReport(time: time, mode: 1), at: BootTime(nanoseconds: 0), into: &readings)
        #expect(readings.isEmpty)
        assembler.finish(into: &readings)
        #expect(readings.count == 1)
        assembler.finish(into: &readings)
        #expect(readings.count == 1)
        #expect(assembler.deadline == nil)
    }

    @Test("arrivals and times at the ends of their range do not trap")
    func extremes() {
        var assembler = EpochAssembler()
        var readings: [EpochReading] = []
        for seconds in [Int64.min, -1, 0, .max] {
            for arrival in [Int64.max, .min, 0, -1] {
                for mode in [Int.min, 0, 3, .max] {
                    let time = seconds == 0 ? nil : FixTime(seconds: seconds, nanoseconds: seconds)
                    let instant = BootTime(nanoseconds: arrival)
                    assembler.take(FixReport(time: time, mode: mode), at: instant, into: &readings)
                    assembler.expire(at: instant, into: &readings)
                }
            }
        }
        #expect(!readings.isEmpty)
    }
}
