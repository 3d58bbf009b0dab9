import Testing

@testable import IIO

@Suite struct TimestampRepairTests {
    private let ms: Int64 = 1_000_000

    /// Repairs a burst of a 10 ms device; all in milliseconds.
    private func repair(
        _ repair: inout TimestampRepair, _ stamps: [Int64], stamped: Bool = true, arrival: Int64
    ) -> (stamps: [Int64], own: Bool) {
        var stamps = stamps.map { $0 * ms }
        let own = repair.repair(&stamps, stamped: stamped, arrival: arrival * ms, period: 10 * ms)
        return (stamps.map { $0 / ms }, own)
    }

    @Test("possible timestamps are kept")
    func keeps() {
        var state = TimestampRepair(startedAt: 1000 * ms)
        let first = repair(&state, [980, 990, 1000], arrival: 1001)
        #expect(first.stamps == [980, 990, 1000] && first.own)
        let next = repair(&state, [1010], arrival: 1011)
        #expect(next.stamps == [1010] && next.own)
    }

    @Test("a burst without timestamps is spread backwards from its arrival")
    func spreads() {
        var state = TimestampRepair(startedAt: 1000 * ms)
        let burst = repair(&state, [0, 0, 0], stamped: false, arrival: 1100)
        #expect(burst.stamps == [1080, 1090, 1100] && !burst.own)
    }

    @Test("a spread burst stays after the one before it")
    func spreadsCloser() {
        var state = TimestampRepair(startedAt: 1000 * ms)
        _ = repair(&state, [0], stamped: false, arrival: 1100)
        let burst = repair(&state, [0, 0, 0], stamped: false, arrival: 1112)
        #expect(burst.stamps == [1104, 1108, 1112])
    }

    @Test(
        "impossible timestamps are replaced",
        arguments: [
            [1030], [1000, 1000], [1000, 990], [-20_000], [0], [.max / 1_000_000], [.min / 1_000_000],
        ] as [[Int64]])
    func replaces(stamps: [Int64]) {
        var state = TimestampRepair(startedAt: 100_000 * ms)
        let moved = stamps.map { $0 > 900 && $0 < 2000 ? $0 + 99_000 : $0 }
        let burst = repair(&state, moved, arrival: 100_003)
        #expect(!burst.own)
        #expect(burst.stamps.last == 100_003)
    }

    @Test("a timestamp that repeats the last burst is replaced")
    func repeats() {
        var state = TimestampRepair(startedAt: 1000 * ms)
        _ = repair(&state, [1000], arrival: 1001)
        let burst = repair(&state, [1000], arrival: 1011)
        #expect(burst.stamps == [1011] && !burst.own)
    }

    @Test("samples that were in the kernel while the host slept keep their old timestamps")
    func slept() {
        var state = TimestampRepair(startedAt: 1000 * ms)
        _ = repair(&state, [1000], arrival: 1001)
        let burst = repair(&state, [1010, 1020], arrival: 3_601_000)
        #expect(burst.stamps == [1010, 1020] && burst.own)
    }

    @Test("timestamps always increase")
    func increases() {
        var state = TimestampRepair(startedAt: 0)
        var random = SystemRandomNumberGenerator()
        var last = Int64.min
        var arrival: Int64 = 1 << 40
        for _ in 0..<2000 {
            arrival += Int64.random(in: -3...20 * ms, using: &random)
            var stamps = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Bool.random() ? Int64.random(in: .min ... .max) : arrival - Int64.random(in: 0...50 * ms)
            }
            _ = state.repair(&stamps, stamped: true, arrival: arrival, period: 10 * ms)
            for stamp in stamps {
                #expect(stamp > last)
                last = stamp
            }
        }
    }
}
