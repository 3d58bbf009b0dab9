import Readings
import Testing

@testable import Service

@Suite struct LineLimiterTests {
    private let start = BootTime(nanoseconds: 5_000_000_000)
    private let period: Int64 = 10_000_000_000

    private func limiter(capacity: Int = 8) -> LineLimiter<String, Int> {
        LineLimiter(periodNanoseconds: period, capacity: capacity)
    }

    @Test("the first line of a cause is written at once, those of the next ten seconds are held back")
    func first() {
        var limiter = limiter()
        let first = limiter.admits(1, of: "a", now: start)
        let further = (2...1_000).map { limiter.admits($0, of: "a", now: start + 1) }
        let other = limiter.admits(1, of: "b", now: start + 1)
        #expect(first && other && !further.contains(true))
        #expect(limiter.deadline == start + period)
        let early = limiter.expire(now: start + (period - 1))
        #expect(early.isEmpty)
    }

    @Test("then the newest is written, with their number, and a new period begins")
    func newest() {
        var limiter = limiter()
        for line in 1...50 { _ = limiter.admits(line, of: "a", now: start) }
        let admitted = limiter.expire(now: start + period)
        #expect(admitted.map(\.line) == [50] && admitted.map(\.count) == [49])
        #expect(limiter.deadline == nil)
        let isAdmitted = limiter.admits(51, of: "a", now: start + (period + 1))
        let later = limiter.expire(now: start + 2 * period)
        #expect(!isAdmitted && later.map(\.line) == [51])
    }

    @Test("a cause without lines for a period starts again")
    func quiet() {
        var limiter = limiter()
        let first = limiter.admits(1, of: "a", now: start)
        let held = limiter.expire(now: start + period)
        let second = limiter.admits(2, of: "a", now: start + period)
        #expect(first && held.isEmpty && second)
    }

    @Test("a flood for an hour writes one line every ten seconds")
    func flood() {
        var limiter = limiter()
        var written = 0
        for step in 0..<36_000 {
            let now = start + Int64(step) * 100_000_000
            if limiter.admits(step, of: "a", now: now) { written += 1 }
            written += limiter.expire(now: now).count
        }
        #expect(written == 360)
    }

    @Test("the number of remembered causes is bounded, and quiet ones are replaced")
    func capacity() {
        var limiter = limiter(capacity: 2)
        let admitted = ["a", "b", "c"].map { limiter.admits(1, of: $0, now: start) }
        #expect(admitted == [true, true, false])
        let later = limiter.admits(2, of: "c", now: start + period)
        #expect(later)
    }
}
