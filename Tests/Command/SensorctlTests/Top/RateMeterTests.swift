import Testing

@testable import sensorctl

@Suite("The rate of a device") struct RateMeterTests {
    private static let second: Int64 = 1_000_000_000

    @Test("is its own, although only every tenth sample is sent here")
    func rate() throws {
        var meter = RateMeter()
        for step in 0..<20 { meter.take(sequence: Int64(step * 10), atNanoseconds: Int64(step) * 100_000_000) }
        let now = 19 * Int64(100_000_000)
        #expect(try abs(#require(meter.hertz(nowNanoseconds: now)) - 100) < 1e-9)
        #expect(try #require(meter.jitter(nowNanoseconds: now)) < 1)
    }

    @Test("has a jitter: how far the samples are from an even pace")
    func jitter() throws {
        var meter = RateMeter()
        // A millisecond early and late by turns.
        for step in 0..<40 {
            meter.take(
                sequence: Int64(step), atNanoseconds: Int64(step) * 100_000_000 + (step % 2 == 0 ? 1 : -1) * 1_000_000)
        }
        let jitter = try #require(meter.jitter(nowNanoseconds: 4 * Self.second))
        #expect(abs(jitter - 1_000_000) < 30_000)
    }

    @Test("is that of the last seconds, and none once nothing comes")
    func ageing() throws {
        var meter = RateMeter()
        for step in 0..<10 { meter.take(sequence: Int64(step), atNanoseconds: Int64(step) * Self.second) }
        for step in 1...60 {
            meter.take(sequence: 9 + Int64(step), atNanoseconds: 9 * Self.second + Int64(step) * 100_000_000)
        }
        #expect(try abs(#require(meter.hertz(nowNanoseconds: 15 * Self.second)) - 10) < 1e-9)
        #expect(meter.hertz(nowNanoseconds: 18 * Self.second) == nil)
        #expect(meter.jitter(nowNanoseconds: 18 * Self.second) == nil)
    }

    @Test("of a device that measures every ten seconds is not over before the third of them")
    func slow() {
        var meter = RateMeter()
        for step in 0..<3 { meter.take(sequence: Int64(step), atNanoseconds: Int64(step) * 10 * Self.second) }
        #expect(meter.hertz(nowNanoseconds: 29 * Self.second) == 0.1)
        #expect(meter.hertz(nowNanoseconds: 51 * Self.second) == nil)
    }

    @Test("is never the end of the program, whatever a broker says")
    func extremes() {
        for (sequence, time) in [(Int64.min, Int64.min), (.max, .max), (0, .min), (.max, 0)] {
            var meter = RateMeter()
            var history = History()
            for step in 0..<6 as Range<Int64> {
                meter.take(sequence: sequence &+ step, atNanoseconds: time &+ step)
                history.take(SIMD4(), atNanoseconds: time &+ step)
            }
            meter.take(sequence: .max, atNanoseconds: .max)
            for now in [Int64.min, 0, .max] {
                _ = (meter.hertz(nowNanoseconds: now), meter.jitter(nowNanoseconds: now))
                #expect(history.extremes(3, until: now) { $0[0] }.count == 3)
            }
        }
    }

    @Test("begins anew when the device is opened again")
    func reopening() {
        var meter = RateMeter()
        meter.take(sequence: 100, atNanoseconds: 0)
        meter.take(sequence: 101, atNanoseconds: 10)
        meter.take(sequence: 0, atNanoseconds: 1_000)
        #expect(meter.hertz(nowNanoseconds: 1_001) == nil)
        meter.take(sequence: 0, atNanoseconds: 1_000)
        meter.take(sequence: 1, atNanoseconds: Self.second + 1_000)
        #expect(meter.hertz(nowNanoseconds: Self.second + 1_001) == 1)
    }
}

@Suite("The last minute of a resource") struct HistoryTests {
    @Test("has the extremes of each part of the time, and forgets what is older")
    func extremes() {
        var history = History()
        for second in 0..<100 {
            history.take(SIMD4(Double(second), 0, 0, 0), atNanoseconds: Int64(second) * 1_000_000_000)
        }
        let parts = history.extremes(6, until: 99_000_000_000) { $0[0] }
        #expect(parts.map { $0?.lowerBound } == [40, 49, 59, 69, 79, 89])
        #expect(parts.map { $0?.upperBound } == [48, 58, 68, 78, 88, 99])
        #expect(history.points.count == 61)
    }

    @Test("is bounded, however fast the readings come")
    func bound() {
        var history = History()
        for step in 0..<20_000 { history.take(SIMD4(), atNanoseconds: Int64(step)) }
        #expect(history.points.count == 6_000)
    }
}
