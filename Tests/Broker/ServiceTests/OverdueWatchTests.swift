import Readings
import TestTools
import Testing

@testable import Service

@Suite("A watch for what lasts too long") struct OverdueWatchTests {
    @Test("reports those over the limit, and no others, and checks again when the next one may be")
    func limit() {
        let watch = OverdueWatch(limitNanoseconds: 10_000_000_000)
        #expect(watch.deadline == nil)
        let begun = [at(seconds: 0), at(seconds: 4), nil]
        watch.begin(since: at(seconds: 0), now: at(seconds: 0))
        watch.begin(since: at(seconds: 4), now: at(seconds: 4))
        #expect(watch.deadline == at(seconds: 10))
        #expect(watch.overdue(among: [0, 1, 2], now: at(seconds: 10)) { begun[$0] } == [0])
        #expect(watch.deadline == at(seconds: 14))
        #expect(watch.overdue(among: [1, 2], now: at(seconds: 14)) { begun[$0] } == [1])
        // Nothing lasts, so nobody is woken.
        #expect(watch.deadline == nil)
    }

    @Test("checks no more often than necessary if many are due one after the other")
    func shortestPause() {
        let watch = OverdueWatch(limitNanoseconds: 40_000_000_000, mostChecks: 40)
        let begun = (0..<1_000).map { BootTime(nanoseconds: $0 * 10_000_000) }
        for since in begun { watch.begin(since: since, now: since) }
        var (looks, found) = (0, 0)
        var left = Array(begun.indices)
        while let now = watch.deadline {
            looks += 1
            let overdue = watch.overdue(among: left, now: now) { begun[$0] }
            #expect(overdue.allSatisfy { now - begun[$0] >= 40_000_000_000 })
            found += overdue.count
            left.removeAll { overdue.contains($0) }
        }
        #expect(found == 1_000)
        #expect(looks <= 12, "\(looks)")
    }

    @Test("checks now and then if progress is not reported, and at once if the limit changes")
    func longestPause() {
        let watch = OverdueWatch(limitNanoseconds: 30_000_000_000, leastChecks: 6)
        watch.begin(since: at(seconds: 0), now: at(seconds: 0))
        #expect(watch.deadline == at(seconds: 5))
        // It has read something meanwhile.
        #expect(watch.overdue(among: [0], now: at(seconds: 5)) { _ in at(seconds: 3) }.isEmpty)
        #expect(watch.deadline == at(seconds: 10))
        watch.setLimit(nanoseconds: 1_000_000_000, now: at(seconds: 6))
        #expect(watch.deadline == at(seconds: 6))
        #expect(watch.overdue(among: [0], now: at(seconds: 6)) { _ in at(seconds: 3) } == [0])
        // Something that no longer lasts needs no check when the limit changes.
        watch.setLimit(nanoseconds: 2_000_000_000, now: at(seconds: 7))
        #expect(watch.deadline == nil)
    }

    @Test("checks again and again what goes on, if it is to be reported when it ends")
    func repetition() {
        let watch = OverdueWatch(limitNanoseconds: 12_000_000_000, repetitions: 2)
        watch.begin(since: at(seconds: 0), now: at(seconds: 0))
        watch.begin(since: at(seconds: 3), now: at(seconds: 3))
        #expect(watch.deadline == at(seconds: 12))
        let begun = [nil, at(seconds: 1), at(seconds: 7)]
        #expect(watch.overdue(among: [0, 1, 2], now: at(seconds: 12)) { begun[$0] }.isEmpty)
        // The first instant at which one of them can have lasted for so long.
        #expect(watch.deadline == at(seconds: 13))
        #expect(watch.overdue(among: [0, 1, 2], now: at(seconds: 13)) { begun[$0] } == [1])
        #expect(watch.deadline == at(seconds: 19))
        #expect(watch.overdue(among: [0, 1], now: at(seconds: 60)) { begun[$0] } == [1])
        #expect(watch.deadline == at(seconds: 66))
        #expect(watch.overdue(among: [0], now: at(seconds: 66)) { begun[$0] }.isEmpty)
        #expect(watch.deadline == nil)
    }
    @Test("puts off, once, a check that comes so late that this process must have stood still")
    func stoodStill() {
        let watch = OverdueWatch(limitNanoseconds: 10_000_000_000, repetitions: 1)
        watch.begin(since: at(seconds: 0), now: at(seconds: 0))
        #expect(!watch.putOff(at(milliseconds: 10_900)), "as in a busy turn")
        #expect(watch.deadline == at(seconds: 10))
        #expect(watch.putOff(at(seconds: 60)) && watch.deadline == at(seconds: 61))
        #expect(!watch.putOff(at(seconds: 90)), "however late it is the next time")
        #expect(watch.overdue(among: [0], now: at(seconds: 90)) { _ in at(seconds: 0) } == [0])
        #expect(!watch.putOff(at(seconds: 100)))
        #expect(watch.overdue(among: [0], now: at(seconds: 100)) { _ in nil }.isEmpty)
        #expect(!watch.putOff(at(seconds: 200)), "nothing is due")
    }
}
