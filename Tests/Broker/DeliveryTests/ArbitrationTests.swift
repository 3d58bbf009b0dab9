import Readings
import TestTools
import Testing

@testable import Delivery

@Suite("Arbitration") struct ArbitrationTests {
    private let offered = OfferedIntervals.discrete([10, 20, 50, 100])

    @Test(
        "takes the slowest rate that satisfies the fastest request",
        arguments: [(100, 100), (99, 50), (20, 20), (5, 10)])
    func slowestSufficient(wish: Int64, expected: Int64) {
        var arbitration = Arbitration()
        #expect(settle(&arbitration, wishes(1_000, wish), now: at(0)))
        #expect(arbitration.demand?.intervalNanoseconds == expected)
    }

    @Test("clamps a request into a range, and ignores a device with a fixed rate")
    func rangeAndFixed() {
        let range = OfferedIntervals.range(shortestNanoseconds: 10, longestNanoseconds: 90)
        #expect(range.slowest(satisfying: 5) == 10)
        #expect(range.slowest(satisfying: 50) == 50)
        #expect(range.slowest(satisfying: 95) == 90)
        #expect(OfferedIntervals.fixed(shortestNanoseconds: 10).slowest(satisfying: 95) == nil)
        var unknown = Arbitration()
        #expect(unknown.settle(wishes(95), offered: nil, now: at(0)) && unknown.demand?.intervalNanoseconds == 95)
    }

    @Test("speeds up at once and slows down after a dwell")
    func dwell() {
        let dwell = Arbitration.dwellNanoseconds
        var arbitration = Arbitration()
        _ = settle(&arbitration, wishes(100), now: at(0))
        #expect(settle(&arbitration, wishes(100, 20), now: at(1)))
        #expect(arbitration.demand?.intervalNanoseconds == 20)
        #expect(!settle(&arbitration, wishes(100), now: at(2)))
        #expect(arbitration.deadline == at(2 + dwell))
        #expect(!settle(&arbitration, wishes(100), now: at(1 + dwell)))
        #expect(settle(&arbitration, wishes(100), now: at(2 + dwell)))
        #expect(arbitration.demand?.intervalNanoseconds == 100)
        #expect(arbitration.deadline == nil)
    }

    @Test("does not flap for clients that come and go within the dwell")
    func noFlap() {
        var arbitration = Arbitration()
        _ = settle(&arbitration, wishes(100, 20), now: at(0))
        for turn in 1..<1_000 {
            let time = at(Int64(turn) * Arbitration.dwellNanoseconds / 4)
            #expect(
                !settle(&arbitration, turn.isMultiple(of: 2) ? wishes(100, 20) : wishes(100), now: time)
            )
        }
    }

    @Test("slows down after a dwell even if the latency gets shorter at the same time")
    func mixedChange() {
        var arbitration = Arbitration()
        _ = settle(&arbitration, [Demand(intervalNanoseconds: 20, latencyNanoseconds: 500)], now: at(0))
        let wish = Demand(intervalNanoseconds: 100, latencyNanoseconds: 0)
        #expect(settle(&arbitration, [wish], now: at(1)))
        #expect(arbitration.demand == Demand(intervalNanoseconds: 20, latencyNanoseconds: 0))
        #expect(settle(&arbitration, [wish], now: at(1 + Arbitration.dwellNanoseconds)))
        #expect(arbitration.demand == wish)
    }

    @Test("takes a lower rate only if it has been sufficient for the whole dwell")
    func dwellOfEachRate() {
        let dwell = Arbitration.dwellNanoseconds
        var arbitration = Arbitration()
        _ = settle(&arbitration, wishes(10), now: at(0))
        _ = settle(&arbitration, wishes(100), now: at(1))
        _ = settle(&arbitration, wishes(50), now: at(2))
        _ = settle(&arbitration, wishes(100), now: at(dwell - 1))
        #expect(settle(&arbitration, wishes(100), now: at(1 + dwell)))
        #expect(arbitration.demand?.intervalNanoseconds == 50)
        #expect(arbitration.deadline == at(1 + 2 * dwell))
        #expect(settle(&arbitration, wishes(100), now: at(1 + 2 * dwell)))
        #expect(arbitration.demand?.intervalNanoseconds == 100)
    }

    @Test("ends the demand at once when no client is left, and takes the shortest latency of all")
    func leaveAndLatency() {
        var arbitration = Arbitration()
        let wishes = [
            Demand(intervalNanoseconds: 10, latencyNanoseconds: 500),
            Demand(intervalNanoseconds: 50, latencyNanoseconds: 90),
        ]
        _ = settle(&arbitration, wishes, now: at(0))
        #expect(arbitration.demand == Demand(intervalNanoseconds: 10, latencyNanoseconds: 90))
        #expect(settle(&arbitration, [], now: at(1)))
        #expect(arbitration.demand == nil)
        #expect(!settle(&arbitration, [], now: at(2)))
    }

    private func settle(_ arbitration: inout Arbitration, _ wishes: [Demand], now: BootTime) -> Bool {
        arbitration.settle(wishes, offered: offered, now: now)
    }

    private func wishes(_ intervals: Int64...) -> [Demand] { intervals.map { Demand(intervalNanoseconds: $0) } }
}
