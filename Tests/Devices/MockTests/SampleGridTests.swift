import Readings
import TestTools
import Testing

@testable import Mock

@Suite struct SampleGridTests {
    private static let second: Int64 = 1_000_000_000

    @Test("ticks are exact, however late they are taken")
    func exact() {
        var grid = SampleGrid(start: at(100), periodNanoseconds: 10, latencyNanoseconds: 0)
        #expect(grid.readyAt == at(100))
        #expect(grid.take(at: at(103)) == .init(gap: nil, first: at(100), count: 1))
        #expect(grid.readyAt == at(110))
        #expect(grid.take(at: at(139)) == .init(gap: nil, first: at(110), count: 3))
        #expect(grid.take(at: at(139)) == .init(gap: nil, first: at(140), count: 0))
        #expect(grid.readyAt == at(140))
    }

    @Test("a batch is ready with its last tick, and none is held longer than the latency")
    func batches() {
        var grid = SampleGrid(start: at(0), periodNanoseconds: 10, latencyNanoseconds: 45)
        #expect(grid.readyAt == at(30))
        #expect(grid.take(at: at(30)) == .init(gap: nil, first: at(0), count: 4))
        #expect(grid.readyAt == at(70))
    }

    @Test("a batch is bounded, and an absurd latency is ignored", arguments: [Int64.max, -1, .min])
    func absurdLatency(latency: Int64) {
        let grid = SampleGrid(start: at(0), periodNanoseconds: 1, latencyNanoseconds: latency)
        #expect((at(0)...at(SampleGrid.capacity)).contains(grid.readyAt))
    }

    @Test("up to a second late, no tick is lost")
    func late() {
        var grid = SampleGrid(start: at(0), periodNanoseconds: 1_000_000, latencyNanoseconds: 0)
        #expect(grid.take(at: at(Self.second)) == .init(gap: nil, first: at(0), count: 1001))
    }

    @Test("later than that there is a gap and one tick, on the old grid")
    func overrun() {
        let period: Int64 = 1_000_000
        var grid = SampleGrid(start: at(7), periodNanoseconds: period, latencyNanoseconds: 0)
        let due = grid.take(at: at(3600 * Self.second))
        let last = (3600 * Self.second - 7) / period
        #expect(
            due.gap
                == Gap(
                    cause: .deviceOverflow, count: Int(last), from: at(7), until: at(7 + (last - 1) * period))
        )
        #expect(due.first == at(7 + last * period))
        #expect(due.count == 1)
    }

    @Test("another rate has the grid of its anchor, and repeats no tick that has passed")
    func changes() {
        var grid = SampleGrid(start: at(0), periodNanoseconds: 10, latencyNanoseconds: 0)
        _ = grid.take(at: at(25))
        grid.change(periodNanoseconds: 4, latencyNanoseconds: 0, at: at(25), anchor: at(0))
        #expect(grid.take(at: at(39)) == .init(gap: nil, first: at(28), count: 3))
        #expect(grid.readyAt == at(40))
        grid.change(periodNanoseconds: 1_000, latencyNanoseconds: 0, at: at(39), anchor: at(2))
        #expect(grid.readyAt == at(1_002))
        #expect(!grid.needsChange(periodNanoseconds: 1_000, latencyNanoseconds: 999))
        #expect(grid.needsChange(periodNanoseconds: 1_000, latencyNanoseconds: 2_000))
    }
}
