import Testing

@testable import IIO

@Suite struct PaceMeterTests {
    private let ms: Int64 = 1_000_000

    private func periods(_ stamps: [Int64]) -> [Int64] {
        var (meter, inBursts) = (PaceMeter(), PaceMeter())
        let periods = stamps.compactMap { meter.period(with: $0) }
        // However they are divided.
        for size in [1, 7, 60] {
            inBursts.restart()
            let starts = stride(from: 0, to: stamps.count, by: size)
            let found = starts.flatMap { inBursts.periods(with: stamps[$0..<min($0 + size, stamps.count)]) }
            #expect(found == periods)
        }
        return periods
    }

    @Test("two periods of half a second that agree are a rate")
    func steady() {
        #expect(periods((0...99).map { $0 * 10 * ms }).isEmpty)
        #expect(periods((0...100).map { $0 * 10 * ms }) == [10 * ms])
        #expect(periods((0...16).map { $0 * 1000 * ms }) == [1000 * ms])
    }

    @Test("a rate that is still changing is not used")
    func changing() {
        var stamp: Int64 = 0
        let stamps = (1...40).map { step in
            stamp += Int64(step) * 20 * ms
            return stamp
        }
        #expect(periods(stamps).isEmpty)
    }

    @Test("a set rate replaces the measured one; a measured one is reported once, unless it is as set")
    func learns() throws {
        let hundred = try #require(SamplingRate(hertz: 100))
        var pace = Pace(wanted: hundred, reported: hundred)
        let claimed = pace
        let learned = [10, 11, 16, 17, 33, 10, 10].map { pace.learn($0 * ms) }
        #expect(learned == [false, false, true, false, true, true, false])
        #expect(pace.publishedNanoseconds == 10 * ms)
        _ = pace.learn(16 * ms)
        #expect(pace.publishedNanoseconds == 16 * ms && pace.isSet(as: claimed))
        // 16 ms, and then close to the limit.
        let fluttering = [11_500, 11_300, 11_500, 11_300].map { pace.learn($0 * 1_000) }
        #expect(fluttering == [true, false, false, false])
        var silent = Pace(wanted: nil, reported: nil)
        #expect(silent.publishedNanoseconds == nil)
        #expect(silent.learn(10 * ms) && silent.publishedNanoseconds == 10 * ms)
    }

    @Test("timestamps at the ends of the range do not trap")
    func extremes() {
        _ = periods([.min, .max, .min, .max, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, .max])
        #expect(!PaceMeter.agree(.min, .max) && PaceMeter.agree(.max, .max - 1))
    }
}
