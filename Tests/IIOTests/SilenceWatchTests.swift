import Testing

@testable import IIO

@Suite struct SilenceWatchTests {
    private let second: Int64 = 1_000_000_000

    @Test(
        "a device is looked at four refills after it was heard, within one second and a minute",
        arguments: [
            (10_000_000, 1), (1_000_000_000, 4), (.max, 60), (0, 1),
        ] as [(Int64, Int64)])
    func deadline(refill: Int64, seconds: Int64) {
        var watch = SilenceWatch(startedAt: 0, refillNanoseconds: refill)
        watch.heard(at: 100 * second)
        #expect(watch.deadline == (100 + seconds) * second)
    }

    @Test("an empty read before the deadline means nothing")
    func early() {
        var watch = SilenceWatch(startedAt: 0, refillNanoseconds: 0)
        #expect(watch.verdict(at: second - 1) == .wait)
        #expect(watch.deadline == second)
    }

    @Test("a buffer that never delivers is given up after a while, one that has delivered is not")
    func unusable() {
        var never = SilenceWatch(startedAt: 0, refillNanoseconds: 0)
        #expect((1...3).map { never.verdict(at: $0 * second) } == [.suspicious, .suspicious, .unusable])
        var once = SilenceWatch(startedAt: 0, refillNanoseconds: 0)
        once.heard(at: second / 2)
        #expect((2...9).map { once.verdict(at: $0 * second) } == Array(repeating: .suspicious, count: 8))
    }
}
