import Readings
import Testing

@testable import sensorctl

/// Where an exported path is broken.
@Suite struct PathBreaksTests {
    private static func gap(_ from: Int64, _ until: Int64) -> Gap {
        Gap(cause: .deviceOverflow, count: 1, from: BootTime(nanoseconds: from), until: BootTime(nanoseconds: until))
    }

    /// Which of some readings the path is broken before, if they are numbered in order.
    private static func broken(_ breaks: inout PathBreaks, _ stamps: [Int64], first: Int64 = 0) -> [Int64] {
        var sequence = first - 1
        return stamps.filter { stamp in
            sequence += 1
            return breaks.isBroken(before: stamp, sequence: sequence)
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

    @Test("gaps that never come do not fill the memory")
    func hostile() {
        var breaks = PathBreaks()
        for from in 1...10_000 { breaks.note(Self.gap(Int64(from) * 10, 1 << 40)) }
        #expect(Self.broken(&breaks, [5, 11, 1 << 41]) == [11, 1 << 41])
    }
}
