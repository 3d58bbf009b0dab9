import Formats
import Readings
import Testing

/// Where an exported path is broken.
@Suite struct PathBreaksTests {
    private static func gap(_ from: Int64, _ until: Int64) -> Gap {
        Gap(cause: .deviceOverflow, count: 1, from: BootTime(nanoseconds: from), until: BootTime(nanoseconds: until))
    }

    /// Which of some readings the path is broken before, if they are numbered in order.
    private static func broken(
        _ breaks: inout PathBreaks, _ stamps: [Int64], first: Int64 = 0, lost: Set<Int64> = []
    ) -> [Int64] {
        var sequence = first - 1
        return stamps.filter { stamp in
            sequence += 1
            return breaks.isBroken(before: stamp, sequence: sequence, hasPosition: !lost.contains(stamp))
        }
    }

    @Test("a gap that stands before a batch breaks the path within the batch, as often as there are gaps")
    func batch() {
        var breaks = PathBreaks()
        breaks.note(Self.gap(20, 40))
        breaks.note(Self.gap(50, 70))
        #expect(Self.broken(&breaks, [10, 20, 40, 50, 70, 80]) == [40, 70])
    }

    @Test("the last reading before an outage, which comes after it, belongs to the path before it")
    func outage() {
        var breaks = PathBreaks()
        #expect(Self.broken(&breaks, [10]) == [])
        breaks.note(.unavailable(reason: ""), at: 30)
        breaks.note(.starting, at: 40)
        breaks.note(.active, at: 40)
        #expect(Self.broken(&breaks, [20, 50, 60], first: 1) == [50])
        breaks.note(.stale(reason: ""), at: 65)
        #expect(Self.broken(&breaks, [70], first: 4) == [])
        breaks.note(.released, at: nil)
        #expect(Self.broken(&breaks, [71], first: 5) == [71])
    }

    @Test("numbers that begin again, and another session, break the path")
    func begins() {
        var breaks = PathBreaks()
        #expect(Self.broken(&breaks, [10, 20], first: 5) == [])
        #expect(Self.broken(&breaks, [30], first: 6) == [30])
        breaks.note(Self.gap(1_000, 2_000))
        breaks.beginSession()
        #expect(Self.broken(&breaks, [5, 6, 3_000], first: 9) == [5])
    }

    @Test("a loss of fix breaks the path before and after it")
    func lost() {
        var breaks = PathBreaks()
        #expect(Self.broken(&breaks, Array(1...9), lost: [1, 4, 5, 8]) == [1, 2, 4, 5, 6, 8, 9])
    }

    @Test("a pause of twenty usual intervals breaks the path, but not a rate that has become slower")
    func pauses() {
        var breaks = PathBreaks()
        let steady = Array(stride(from: Int64(0), through: 1_000, by: 10))
        let jumpy = steady + [1_201, 1_211, 1_000_000, 1_000_010, 1_000_510]
        #expect(Self.broken(&breaks, jumpy) == [1_201, 1_000_000, 1_000_510])
        breaks = PathBreaks()
        let slow = (1...20).map { 100 + Int64($0) * 600 }
        #expect(Self.broken(&breaks, Array(stride(from: Int64(0), through: 100, by: 10)) + slow) == [700, 1_300])
        // What is usual in one session is so in the next one; the time between the two is no pause.
        breaks.beginSession()
        #expect(Self.broken(&breaks, [5, 15]) == [5])
    }

    @Test("gaps that never come do not fill the memory")
    func hostile() {
        var breaks = PathBreaks()
        for from in 1...10_000 { breaks.note(Self.gap(Int64(from) * 10, 1 << 40)) }
        #expect(Self.broken(&breaks, [5, 11, 1 << 41]) == [11, 1 << 41])
    }
}
