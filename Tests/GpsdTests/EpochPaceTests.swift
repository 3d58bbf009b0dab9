import Testing

@testable import Gpsd

@Suite struct EpochPaceTests {
    @Test("an agreed count is believed after ten epochs, and after a late report only after sixty")
    func count() {
        var pace = EpochPace()
        for _ in 0..<9 { pace.note(count: 3, longestPauseNanoseconds: 0) }
        #expect(pace.wholeCount == nil)
        pace.note(count: 3, longestPauseNanoseconds: 0)
        #expect(pace.wholeCount == 3)
        pace.note(count: 2, longestPauseNanoseconds: 0)
        #expect(pace.wholeCount == nil)
        pace.noteLate(pauseNanoseconds: 1)
        for _ in 0..<59 { pace.note(count: 4, longestPauseNanoseconds: 0) }
        #expect(pace.wholeCount == nil)
        pace.note(count: 4, longestPauseNanoseconds: 0)
        #expect(pace.wholeCount == 4)
    }

    @Test("the pause is half again the longest one seen, and the next epoch is never waited for")
    func quiet() {
        var pace = EpochPace()
        for _ in 0..<4 { pace.note(count: 2, longestPauseNanoseconds: 40_000_000) }
        #expect(pace.quietNanoseconds(after: 1, interval: 1_000_000_000) == 80_000_000)
        #expect(pace.quietNanoseconds(after: 1, interval: 50_000_000) == 45_000_000)
        pace.note(count: 1, longestPauseNanoseconds: 660_000_000)
        #expect(pace.quietNanoseconds(after: 1, interval: 1_000_000_000) == 900_000_000)
        #expect(pace.quietNanoseconds(after: 1, interval: 5_000_000_000) == 1_010_000_000)
        for _ in 0..<32 { pace.note(count: 1, longestPauseNanoseconds: 0) }
        #expect(pace.quietNanoseconds(after: 1, interval: nil) == 20_000_000)
    }

    @Test("four epochs, at first and after a late report, are waited for as long as an epoch may take")
    func learning() {
        var pace = EpochPace()
        for late in [false, true] {
            if late { pace.noteLate(pauseNanoseconds: .max) }
            for _ in 0..<4 {
                #expect(pace.quietNanoseconds(after: 1, interval: nil) == 900_000_000)
                #expect(pace.quietNanoseconds(after: 1, interval: 100_000_000) == 90_000_000)
                #expect(pace.quietNanoseconds(after: 1, interval: 10_000_000_000) == 900_000_000)
                pace.note(count: 2, longestPauseNanoseconds: 10_000_000)
            }
            // The late one is remembered for longer.
            #expect(pace.quietNanoseconds(after: 1, interval: 1_000_000_000) == (late ? 900_000_000 : 35_000_000))
        }
    }

    @Test("a report that is agreed to come is waited for longer than any pause learned")
    func expected() {
        var pace = EpochPace()
        for _ in 0..<10 { pace.note(count: 2, longestPauseNanoseconds: 0) }
        #expect(pace.quietNanoseconds(after: 1, interval: 1_000_000_000) == 900_000_000)
        #expect(pace.quietNanoseconds(after: 1, interval: 200_000_000) == 180_000_000)
        #expect(pace.quietNanoseconds(after: 2, interval: 1_000_000_000) == 20_000_000)
    }
}
