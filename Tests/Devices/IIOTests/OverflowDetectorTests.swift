import Devices
import Platform
import Readings
import Testing

@testable import IIO

@Suite struct OverflowDetectorTests {
    private let ms: Int64 = 1_000_000

    /// The gaps that a 10 ms device shows with these stamps, in milliseconds, in one burst or sample by sample.
    private func gaps(_ stamps: [Double], oneByOne: Bool = false) -> [Gap] {
        var detector = OverflowDetector(periodNanoseconds: 10 * ms)
        let stamps = stamps.map { Int64($0 * 1e6) }
        if !oneByOne { return detector.gaps(in: stamps).map(\.gap) }
        return stamps.compactMap { detector.gap(before: $0, next: nil) }
    }

    private func steady(_ count: Int, from: Double = 0, by step: Double = 10) -> [Double] {
        (0..<count).map { from + Double($0) * step }
    }

    @Test("a burst shows the gaps that its samples show one after the other")
    func bursts() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<200 {
            var together = OverflowDetector(periodNanoseconds: 10 * ms)
            var apart = together
            var stamp: Int64 = 0
            for _ in 0..<30 {
                let stamps = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    let lost: Int64 =
                        Int.random(in: 0..<25, using: &generator) == 0 ? .random(in: 1...5, using: &generator) : 0
                    stamp += (1 + lost) * 10 * ms + .random(in: -6 * ms...6 * ms, using: &generator)
                    return stamp
                }
                let alone = stamps.indices.compactMap { index in
                    let next = index + 1 < stamps.count ? stamps[index + 1] : nil
                    return apart.gap(before: stamps[index], next: next).map { (index, $0) }
                }
                #expect(together.gaps(in: stamps).elementsEqual(alone) { $0 == $1 })
                switch Int.random(in: 0..<8, using: &generator) {
                case 0:
                    let period = Int64.random(in: 5...20, using: &generator) * ms
                    together.restart(periodNanoseconds: period, at: stamp)
                    apart.restart(periodNanoseconds: period, at: stamp)
                case 1:
                    together.forget()
                    apart.forget()
                default: break
                }
            }
        }
    }

    @Test("missing samples are counted, and their span is reported")
    func counts() {
        let found = gaps(steady(10) + [130, 140])
        #expect(found == gaps(steady(10) + [130, 140], oneByOne: true))
        #expect(
            found == [
                Gap(
                    cause: .deviceOverflow, count: 3, from: BootTime(nanoseconds: 100 * ms),
                    until: BootTime(nanoseconds: 120 * ms))
            ])
    }

    @Test("one lost sample is a gap of one instant")
    func one() {
        let found = gaps(steady(10) + [110, 120])
        #expect(found.map(\.count) == [1])
        #expect(found.first?.from == found.first?.until)
    }

    @Test("jitter of less than half a period is no loss")
    func jitter() {
        let stamps = steady(200).enumerated().map { $1 + ($0.isMultiple(of: 2) ? 2.4 : -2.4) }
        #expect(gaps(stamps).isEmpty)
    }

    @Test("a late timestamp is not a loss, however late", arguments: [false, true])
    func late(oneByOne: Bool) {
        #expect(gaps(steady(10) + [112, 113] + steady(9, from: 120), oneByOne: oneByOne).isEmpty)
        #expect(gaps(steady(10) + [140, 140.1, 140.2, 140.3] + steady(9, from: 150), oneByOne: oneByOne).isEmpty)
    }

    @Test("the gap comes before the next sample if that one's timestamp is known, else one sample later")
    func order() {
        var detector = OverflowDetector(periodNanoseconds: 10 * ms)
        for stamp in steady(10) { _ = detector.gap(before: Int64(stamp) * ms, next: nil) }
        #expect(detector.gap(before: 130 * ms, next: nil) == nil)
        #expect(detector.gap(before: 140 * ms, next: nil)?.count == 3)
        #expect(detector.gap(before: 190 * ms, next: 200 * ms)?.count == 4)
        #expect(detector.gap(before: 200 * ms, next: 210 * ms) == nil)
    }

    @Test("losses in succession are all reported")
    func succession() {
        let stamps = steady(10) + [130, 170, 180, 190]
        #expect(gaps(stamps).compactMap(\.count).reduce(0, +) == 6)
        #expect(gaps(stamps, oneByOne: true).compactMap(\.count).reduce(0, +) == 6)
    }

    @Test("a chip that is slower than it reports loses nothing, and real losses are still detected")
    func slower() {
        #expect(gaps(steady(50, by: 17)).isEmpty)
        #expect(gaps(steady(50, by: 17) + steady(2, from: 51 * 17, by: 17)).map(\.count) == [1])
    }

    @Test("a chip that is faster than it reports loses nothing")
    func faster() { #expect(gaps(steady(50, by: 6)).isEmpty) }

    @Test("nothing is reported right after opening, when sensors wake up")
    func opening() { #expect(gaps([0, 200, 210, 220, 230, 240]).isEmpty) }

    /// The gaps around a change of rate at a time, in milliseconds; the stamps before and after it.
    private func gaps(_ before: [Double], changedAt time: Double, to period: Double, _ after: [Double]) -> [Gap] {
        let old = Int64((before[1] - before[0]) * 1e6)
        var detector = OverflowDetector(periodNanoseconds: old)
        var found = before.compactMap { detector.gap(before: Int64($0 * 1e6), next: nil) }
        detector.restart(periodNanoseconds: Int64(period * 1e6), at: Int64(time * 1e6))
        found += after.compactMap { detector.gap(before: Int64($0 * 1e6), next: nil) }
        return found
    }

    @Test("a change of rate is no loss, at whatever moment of a sample")
    func rateChange() {
        #expect(gaps(steady(20), changedAt: 193, to: 100, steady(20, from: 293, by: 100)).isEmpty)
        #expect(gaps(steady(20), changedAt: 193, to: 100, steady(20, from: 200, by: 100)).isEmpty)
        #expect(gaps(steady(20, by: 100), changedAt: 1930, to: 10, steady(20, from: 1940)).isEmpty)
    }

    @Test("buffered samples from before a change of rate are judged by their own rate")
    func lateOldSamples() {
        let found = gaps(steady(15), changedAt: 197, to: 2, [150, 160, 170, 190] + steady(20, from: 199, by: 2))
        #expect(found.map(\.count) == [1] && found.map(\.cause) == [.deviceOverflow])
    }

    @Test("samples lost by a change of rate are reported without a number", arguments: [(10.0, 100.0), (100, 10)])
    func costlyChange(before: Double, after: Double) {
        let old = steady(20, by: before)
        let last = old.last ?? 0
        let found = gaps(old, changedAt: last + 5, to: after, steady(20, from: last + 160, by: after))
        #expect(
            found == [
                Gap(
                    cause: .reconfigured, count: nil, from: BootTime(nanoseconds: Int64(last) * ms + 1),
                    until: BootTime(nanoseconds: Int64(last + 160) * ms - 1))
            ])
    }

    @Test("a missing first sample at a faster rate is reported, although the old rate would explain it")
    func firstOfFaster() {
        // Counted by a sensor: 111,436.060 ms, then one sample that never came, then 111,454.816 ms.
        let found = gaps(steady(20, by: 20), changedAt: 389, to: 5, steady(20, from: 380 + 18.756, by: 5))
        #expect(found.map(\.cause) == [.reconfigured] && found.map(\.count) == [nil])
    }

    @Test("a chip that finishes its present sample at a change of rate loses nothing")
    func finishing() {
        #expect(gaps(steady(20, by: 20), changedAt: 381, to: 5, steady(20, from: 400.3, by: 5)).isEmpty)
    }

    @Test("a missing sample among the first of a new rate is reported")
    func amongFirst() {
        let found = gaps(steady(20, by: 5), changedAt: 96.5, to: 2, [98, 100, 102] + steady(20, from: 106, by: 2))
        #expect(found.map(\.cause) == [.reconfigured])
        #expect(found.first?.from == BootTime(nanoseconds: 102 * ms + 1))
        #expect(found.first?.until == BootTime(nanoseconds: 106 * ms - 1))
    }

    @Test("a chip that is slower at its new rate than it reports loses nothing by that")
    func slowerAfterChange() {
        #expect(gaps(steady(20), changedAt: 190.5, to: 5, steady(20, from: 197, by: 17)).isEmpty)
    }

    @Test("a rate that another program changed looks like loss for a few samples at most")
    func foreignRate() { #expect(gaps(steady(20) + steady(50, from: 290, by: 100)).count <= 5) }

    @Test("an interruption of valid timestamps is not a loss")
    func forgets() {
        var detector = OverflowDetector(periodNanoseconds: 10 * ms)
        for stamp in steady(20) { _ = detector.gap(before: Int64(stamp) * ms, next: nil) }
        detector.forget()
        #expect(detector.gap(before: 5000 * ms, next: 5010 * ms) == nil)
    }

    @Test("timestamps at the ends of the range do not trap")
    func extremes() {
        var detector = OverflowDetector(periodNanoseconds: 1)
        for stamp in [Int64.min, -5, -4, -3, -2, -1, .max] { _ = detector.gap(before: stamp, next: nil) }
        var other = OverflowDetector(periodNanoseconds: .max)
        for stamp in [Int64.min, -1, 0, 1, 2, 3, 4, 5, .max] { #expect(other.gap(before: stamp, next: nil) == nil) }
    }
}
