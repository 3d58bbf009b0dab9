import Devices
import Platform
import Readings
import Testing

@testable import IIO

@Suite struct RemoteClockTests {
    private let second: Int64 = 1_000_000_000

    @Test("the shortest delay seen is used as the offset")
    func shortest() {
        var clock = RemoteClock()
        #expect(clock.offset(lastStamp: 100, arrival: 5000) == 4900)
        #expect(clock.offset(lastStamp: 1100, arrival: 5600) == 4500)
        #expect(clock.offset(lastStamp: 2100, arrival: 7600) == 4500)
    }

    @Test("a clock that runs slower is followed, within 200 ppm")
    func drift() {
        var clock = RemoteClock()
        var late: Int64 = 0
        for i in 1...1000 as ClosedRange<Int64> {
            // Loses 100 µs a second.
            let arrival = i * second
            let stamp = arrival - i * 100_000
            late = max(late, arrival - (stamp + clock.offset(lastStamp: stamp, arrival: arrival)))
        }
        #expect(late < 200_000)
    }

    @Test(
        "at any rate, neither drift nor a shorter delay looks like a lost sample or goes back",
        arguments: [1_000, 1_000_000])
    func spread(hertz: Int64) {
        var clock = RemoteClock()
        var generator = SplitMix64(seed: 3)
        let period = second / hertz
        let samples = Int(max(1, second / 250 / period))
        var overflow = OverflowDetector(periodNanoseconds: period)
        var last: Int64?
        for burst in 0..<500 as Range<Int64> {
            let first = burst * Int64(samples)
            var stamps = (0..<Int64(samples)).map { 1_000 * second + (first + $0) * period }
            // The other clock is 30 s behind and 100 ppm slow; a burst comes up to 2 ms late.
            let measured = stamps[samples - 1] + 30 * second
            let arrival =
                measured + (measured - 1_030 * second) / 10_000 + .random(in: 0...2_000_000, using: &generator)
            overflow.move(by: clock.translate(&stamps, arrival: arrival))
            #expect(stamps[samples - 1] <= arrival + period)
            for stamp in stamps {
                if burst > 2, let last { #expect(stamp > last) }
                last = stamp
            }
            #expect(burst <= 2 || overflow.gaps(in: stamps).isEmpty)
        }
    }

    /// The gaps of a sensor of 100 Hz, each of whose bursts comes with a delay and is stamped by a clock that is ahead, both in
    /// milliseconds.
    private func gaps(_ bursts: [(numbers: Range<Int64>, delay: Int64, ahead: Int64)]) -> [Gap] {
        let ms: Int64 = 1_000_000
        var timing = BurstTiming(.remote(RemoteClock()), startedAt: 0, periodNanoseconds: 10 * ms)
        var gaps: [Gap] = []
        var samples: [(number: Int64, stamp: Int64)] = []
        for burst in bursts {
            var stamps = burst.numbers.map { ($0 * 10 + burst.ahead) * ms }
            let arrival = second + (burst.numbers.upperBound - 1) * 10 * ms + burst.delay * ms
            gaps += timing.settle(&stamps, arrival: arrival, periodNanoseconds: 10 * ms).map(\.gap)
            samples += zip(burst.numbers, stamps).map { ($0, $1) }
            // Each delay is the shortest so far.
            #expect(stamps.last == arrival)
        }
        for gap in gaps {
            // It is where numbers are missing, between the samples before and after it.
            let next = samples.firstIndex { $0.stamp > gap.until.nanoseconds } ?? samples.count
            #expect((1..<samples.count).contains(next) && samples[next].number - samples[next - 1].number > 1)
            #expect(gap.from.nanoseconds >= samples[next - 1].stamp)
        }
        return gaps
    }

    @Test("a clock that was set forward has lost nothing")
    func setForward() {
        let hour: Int64 = 3_600_000
        let bursts = (1...60 as ClosedRange<Int64>).map {
            (numbers: $0..<($0 + 1), delay: Int64(0), ahead: $0 > 20 ? hour : 0)
        }
        #expect(gaps(bursts).isEmpty)
    }

    @Test("a hole before a burst that is not late any more is counted", arguments: [1, 4] as [Int64])
    func holes(size: Int64) {
        let before = (0..<20).map { (numbers: $0 * size..<($0 + 1) * size, delay: Int64(100), ahead: Int64(0)) }
        let from = 20 * size + 30
        let after = (0..<20).map {
            (numbers: from + $0 * size..<from + ($0 + 1) * size, delay: Int64(0), ahead: Int64(0))
        }
        #expect(gaps(before + after).map(\.count) == [30])
    }

    @Test(
        "what is lost is counted by the other clock, although the delay of the first samples hid how late it is",
        arguments: [1, 7] as [Int64])
    func counts(lost: Int64) {
        // Samples come 15 ms late on a busy host, some are lost, and then they come at once.
        let before = (1...20 as ClosedRange<Int64>).map { (numbers: $0..<($0 + 1), delay: Int64(15), ahead: Int64(0)) }
        let after = (21 + lost...40 + lost).map { (numbers: $0..<($0 + 1), delay: Int64(0), ahead: Int64(0)) }
        #expect(gaps(before + after).map(\.count) == [Int(lost)])
    }

    @Test("a delay of seconds is a delay, not another offset")
    func delay() {
        var clock = RemoteClock()
        _ = clock.offset(lastStamp: 0, arrival: 10)
        #expect(clock.offset(lastStamp: second, arrival: 3 * second) < 1_000_000)
        #expect(clock.offset(lastStamp: 3 * second, arrival: 3 * second + 10) == 10)
    }

    @Test("even steps stay even while nothing is learnt but that a delay varies")
    func evenness() {
        var clock = RemoteClock()
        var generator = SplitMix64(seed: 4)
        var uneven = 0
        for burst in 0..<1_000 as Range<Int64> {
            // A megahertz, 4 ms late and up to 200 µs more.
            var stamps = (0..<4_000).map { (burst * 4_000 + $0) * 1_000 }
            let arrival = stamps[3_999] + 4_000_000 + .random(in: 0...200_000, using: &generator)
            _ = clock.translate(&stamps, arrival: arrival)
            #expect(stamps[3_999] <= arrival)
            uneven += zip(stamps, stamps.dropFirst()).allSatisfy { $1 - $0 == 1_000 } ? 0 : 1
        }
        #expect(uneven < 200)
    }

    @Test("a change is spread over a burst to the last nanosecond", arguments: [-7_777, 33_333] as [Int64])
    func spreadExactly(change: Int64) {
        var clock = RemoteClock()
        var stamps = (0..<1_000).map { Int64($0) * 1_000 }
        _ = clock.translate(&stamps, arrival: stamps[999])
        // So long after the last burst that the offset may rise by as much.
        let begin = 200 * second
        stamps = (0..<1_000).map { begin + $0 * 1_000 }
        _ = clock.translate(&stamps, arrival: begin + 999_000 + change)
        #expect(stamps[999] == begin + 999_000 + change)
        let steps = zip(stamps, stamps.dropFirst()).map { $1 - $0 - 1_000 }
        #expect(steps.allSatisfy { abs($0 * 1_000 - change) < 1_000 })
    }

    @Test("a clock that was set back is believed after ten seconds")
    func setBack() {
        var clock = RemoteClock()
        _ = clock.offset(lastStamp: 100 * second, arrival: 100 * second)
        var offset: Int64 = 0
        for i in 101...115 as ClosedRange<Int64> {
            offset = clock.offset(lastStamp: (i - 60) * second, arrival: i * second)
        }
        #expect(offset == 60 * second)
    }

    @Test("timestamps at the ends of the range do not trap")
    func extremes() {
        var clock = RemoteClock()
        for stamp in [Int64.min, .max, 0, .min, -1, .max] {
            var stamps = [Int64.min, stamp]
            _ = clock.translate(&stamps, arrival: .max)
            _ = clock.offset(lastStamp: stamp, arrival: .max)
        }
        #expect(clock.offset(lastStamp: .max, arrival: 0) < 0)
    }
}
