import Readings
import Testing

@testable import Admission

@Suite struct CallBudgetTests {
    private let start = BootTime(nanoseconds: 1_000_000_000_000)

    @Test("a burst of calls is admitted at once, then one call per interval")
    func burst() {
        var budget = CallBudget(perSecond: 100, burst: 200, now: start)
        #expect((0..<200).allSatisfy { _ in budget.take(now: start) })
        let isOver = budget.take(now: start)
        #expect(!isOver)
        #expect(budget.nextCall == start + 10_000_000)
        let taken = [9_999_999, 10_000_000, 10_000_000].map { budget.take(now: start + $0) }
        #expect(taken == [false, true, false])
    }

    @Test("an expensive call is admitted as early as a cheap one, and delays the calls after it")
    func cost() {
        var budget = CallBudget(perSecond: 100, burst: 200, now: start)
        let first = budget.take(199, now: start)
        let second = budget.take(65, now: start)
        let third = budget.take(now: start)
        #expect(first && second && !third)
        #expect(budget.nextCall == start + 650_000_000)
        let endless = budget.take(.max, now: start + 650_000_000)
        #expect(endless)
        // What refills in a second, whatever it cost.
        #expect(budget.nextCall == start + 1_660_000_000)
    }

    @Test("over a long time the rate is exact, whenever calls are made")
    func rate() {
        var budget = CallBudget(perSecond: 100, burst: 200, now: start)
        var taken = 0
        for step in 0..<100_000 where budget.take(now: start + Int64(step) * 1_000_000) { taken += 1 }
        #expect(taken == 200 + 100 * 100 - 1)
    }

    @Test("idle time fills the bucket, up to its limit")
    func refill() {
        var budget = CallBudget(perSecond: 10, burst: 5, now: start)
        for _ in 0..<5 { _ = budget.take(now: start) }
        let later = start + 3_600_000_000_000
        let taken = (0..<6).map { _ in budget.take(now: later) }
        #expect(taken == [true, true, true, true, true, false])
    }
}

extension CallBudget {
    /// A call that is made only if there is a token for it.
    fileprivate mutating func take(_ cost: Int = 1, now: BootTime) -> Bool {
        guard nextCall <= now else { return false }
        charge(cost, now: now)
        return true
    }
}
