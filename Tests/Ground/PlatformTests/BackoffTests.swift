import Platform
import Testing

@Suite struct BackoffTests {
    @Test("the wait grows from 0.25 s to 0.5 s and remains there, each within 20 %")
    func doubles() {
        var generator = SplitMix64(seed: 7)
        var backoff = Backoff()
        for milliseconds: Int64 in [250, 500, 500, 500, 500] {
            let base = milliseconds * 1_000_000
            #expect((base * 8 / 10...base * 12 / 10).contains(backoff.next(using: &generator)))
        }
    }

    @Test("without jitter each wait is twice the one before, up to the longest")
    func exact() {
        var backoff = Backoff(firstNanoseconds: 3, longestNanoseconds: 20)
        #expect((0..<5).map { _ in backoff.next() } == [3, 6, 12, 20, 20])
        backoff.reset()
        #expect(backoff.next() == 3)
    }

    @Test("it starts again after a success")
    func resets() {
        var generator = SplitMix64(seed: 7)
        var backoff = Backoff()
        for _ in 0..<6 { _ = backoff.next(using: &generator) }
        backoff.reset()
        #expect(backoff.next(using: &generator) <= 300_000_000)
    }

    @Test("one seed gives one sequence, another seed another")
    func seeded() {
        func waits(seed: UInt64) -> [Int64] {
            var generator = SplitMix64(seed: seed)
            var backoff = Backoff()
            return (0..<10).map { _ in backoff.next(using: &generator) }
        }
        #expect(waits(seed: 1) == waits(seed: 1))
        #expect(waits(seed: 1) != waits(seed: 2))
    }
}
