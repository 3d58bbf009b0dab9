import Testing

@testable import IIO

@Suite struct SilenceWatchTests {
    private let second: Int64 = 1_000_000_000

    @Test(
        "this host's device is checked after half a second of silence, a slow one after a refill and a half",
        arguments: [(0, 0.5), (10_000_000, 0.5), (800_000_000, 1.2), (4_000_000_000, 6), (.max, 15)]
            as [(Int64, Double)])
    func local(refill: Int64, seconds: Double) {
        let pause = Int64(seconds * 1e9)
        var watch = SilenceWatch(startedAt: 0, refillNanoseconds: refill, isNetwork: false)
        #expect(watch.deadline == pause)
        watch.received(at: 100 * second)
        #expect(watch.deadline == 100 * second + pause)
        #expect(watch.verdict(at: 120 * second) == .suspicious)
        #expect(watch.deadline == 120 * second + pause)
        watch.restart(refillNanoseconds: 0)
        watch.received(at: 200 * second)
        #expect(watch.deadline == 200 * second + second / 2)
    }

    @Test(
        "over the network it is checked four refills after the last sample, within one second to a minute",
        arguments: [(10_000_000, 1), (1_000_000_000, 4), (.max, 60), (0, 1)] as [(Int64, Int64)])
    func network(refill: Int64, seconds: Int64) {
        var watch = SilenceWatch(startedAt: 0, refillNanoseconds: refill, isNetwork: true)
        watch.received(at: 100 * second)
        #expect(watch.deadline == (100 + seconds) * second)
        watch.restart(refillNanoseconds: 0)
        watch.received(at: 200 * second)
        #expect(watch.deadline == 201 * second)
    }

    @Test("an empty read before the deadline means nothing")
    func early() {
        var watch = SilenceWatch(startedAt: 0, refillNanoseconds: 0, isNetwork: false)
        #expect(watch.verdict(at: second / 2 - 1) == .wait)
        #expect(watch.deadline == second / 2)
    }

    @Test("a buffer that never delivers is abandoned after a while, one that has delivered is not")
    func unusable() {
        var never = SilenceWatch(startedAt: 0, refillNanoseconds: 0, isNetwork: false)
        #expect((1...3).map { never.verdict(at: $0 * second) } == [.suspicious, .suspicious, .unusable])
        var once = SilenceWatch(startedAt: 0, refillNanoseconds: 0, isNetwork: false)
        once.received(at: second / 4)
        #expect((2...9).map { once.verdict(at: $0 * second) } == Array(repeating: .suspicious, count: 8))
    }
}
