import Readings
import Testing

@testable import IIO

@Suite struct OverflowDetectorTests {
    private let ms: Int64 = 1_000_000

    /// The gaps that a 10 ms device shows with these stamps, in milliseconds.
    private func gaps(_ stamps: [Double], periodMilliseconds: Int64 = 10) -> [Gap] {
        var detector = OverflowDetector(periodNanoseconds: periodMilliseconds * ms)
        return stamps.compactMap { detector.gap(before: Int64($0 * 1e6)) }
    }

    private func steady(_ count: Int, from: Double = 0, by step: Double = 10) -> [Double] {
        (0..<count).map { from + Double($0) * step }
    }

    @Test("samples that never came are counted, and the span that they leave is told")
    func counts() {
        let found = gaps(steady(10) + [130, 140])
        #expect(
            found == [
                Gap(
                    cause: .deviceOverflow, count: 3, from: BootTime(nanoseconds: 100 * ms),
                    until: BootTime(nanoseconds: 120 * ms))
            ])
    }

    @Test("one lost sample is a gap of one instant")
    func one() {
        let found = gaps(steady(10) + [110])
        #expect(found.map(\.count) == [1])
        #expect(found.first?.from == found.first?.until)
    }

    @Test("jitter of less than half a period is no loss")
    func jitter() {
        let stamps = steady(200).enumerated().map { $1 + ($0.isMultiple(of: 2) ? 2.4 : -2.4) }
        #expect(gaps(stamps).isEmpty)
    }

    @Test("a chip that is slower than it claims loses nothing, and its losses are still seen")
    func slower() {
        #expect(gaps(steady(50, by: 17)).isEmpty)
        #expect(gaps(steady(50, by: 17) + [50 * 17 + 17]).map(\.count) == [1])
    }

    @Test("a chip that is faster than it claims loses nothing")
    func faster() { #expect(gaps(steady(50, by: 6)).isEmpty) }

    @Test("nothing is told right after opening, when sensors wake up")
    func opening() { #expect(gaps([0, 200, 210, 220, 230, 240]).isEmpty) }

    @Test("a change of rate is no loss")
    func rateChange() {
        var detector = OverflowDetector(periodNanoseconds: 10 * ms)
        for stamp in steady(20) { #expect(detector.gap(before: Int64(stamp) * ms) == nil) }
        detector.restart(periodNanoseconds: 100 * ms)
        for stamp in steady(20, from: 200, by: 100) { #expect(detector.gap(before: Int64(stamp) * ms) == nil) }
    }

    @Test("a foreign hand on the rate is taken for loss for a few samples at most")
    func foreignRate() { #expect(gaps(steady(20) + steady(50, from: 290, by: 100)).count <= 5) }

    @Test("a break in the believable stamps is no loss")
    func forgets() {
        var detector = OverflowDetector(periodNanoseconds: 10 * ms)
        for stamp in steady(20) { _ = detector.gap(before: Int64(stamp) * ms) }
        detector.forget()
        #expect(detector.gap(before: 5000 * ms) == nil)
    }

    @Test("stamps at the ends of the range do not trap")
    func extremes() {
        var detector = OverflowDetector(periodNanoseconds: 1)
        for stamp in [Int64.min, -5, -4, -3, -2, -1, .max] { _ = detector.gap(before: stamp) }
        var other = OverflowDetector(periodNanoseconds: .max)
        for stamp in [Int64.min, -1, 0, 1, 2, 3, 4, 5, .max] { #expect(other.gap(before: stamp) == nil) }
    }
}
