import Mock
import Testing

@Suite struct FaultTimelineTests {
    @Test("a span includes its beginning and excludes its end")
    func span() {
        let span = FaultSpan(.stall, from: 10, nanoseconds: 5)
        #expect([9, 10, 14, 15].map { span.holds(at: $0) } == [false, true, true, false])
        #expect([0, 10, 15].map { span.change(after: $0) } == [10, 15, nil])
        #expect(FaultSpan(.stall, from: 10, nanoseconds: nil).holds(at: .max - 1))
        #expect(FaultSpan(.gpsdRestart, from: 0, nanoseconds: nil).until == 2_000_000_000)
    }

    @Test("a repeating fault repeats for ever, and reports when")
    func again() {
        let span = FaultSpan(.stall, from: 10, nanoseconds: 5, everyNanoseconds: 100)
        #expect(
            [9, 10, 15, 110, 114, 115, 1_000_012].map { span.holds(at: $0) } == [
                false, true, false, true, true, false, true,
            ])
        #expect([0, 10, 15, 110, 116].map { span.change(after: $0) } == [10, 15, 110, 115, 210])
        #expect(span.beginnings(after: 9, upTo: 10) == 1)
        #expect(span.beginnings(after: 10, upTo: 109) == 0)
        #expect(span.beginnings(after: 10, upTo: 310) == 3)
        // An endless fault would never begin again: it ends with its period.
        #expect(FaultSpan(.stall, from: 0, nanoseconds: nil, everyNanoseconds: 100).until == 100)
    }

    @Test("of several faults of one kind the last one counts; other kinds apply at the same time")
    func several() {
        let timeline = FaultTimeline([
            FaultSpan(.satellites(5), from: 0, nanoseconds: 10), FaultSpan(.satellites(3), from: 5, nanoseconds: 10),
            FaultSpan(.noFix, from: 5, nanoseconds: 2),
        ])
        #expect(timeline.faults(at: 4) == [.satellites(5)])
        #expect(timeline.faults(at: 6) == [.satellites(3), .noFix])
        #expect(timeline.change(after: 7) == 10)
    }

    @Test("a fault that is ended is over at once and does not return; past ones remain")
    func ends() {
        var timeline = FaultTimeline([
            FaultSpan(.unplug, from: 10, nanoseconds: 5, everyNanoseconds: 100),
            FaultSpan(.stall, from: 10, nanoseconds: 50),
        ])
        func end(_ kind: FaultKind?, _ instant: Int64) -> Bool { timeline.end(kind, at: instant) }
        #expect(end(.unplug, 112))
        #expect([111, 112, 210].map { timeline.holds([.unplug], at: $0) } == [true, false, false])
        #expect(timeline.holds([.stall], at: 20))
        #expect(!end(.unplug, 300))
        #expect(end(nil, 30))
        #expect(timeline.change(after: 200) == nil)
        timeline.forget(before: 1_000)
        #expect(timeline.spans.isEmpty)
    }

    @Test("a fault without end is replaced by another of its kind, and nothing accumulates")
    func supersedes() {
        var timeline = FaultTimeline()
        for instant in 0..<1_000 as Range<Int64> {
            timeline.forget(before: instant - 10)
            timeline.supersede(.jump, at: instant)
            timeline.take(.begin(.jump(meters: Double(instant), degrees: 0), nanoseconds: nil), at: instant)
        }
        #expect(timeline.spans.count < 20)
        #expect(timeline.faults(at: 2_000) == [.jump(meters: 999, degrees: 0)])
        #expect(timeline.faults(at: 995) == [.jump(meters: 995, degrees: 0)])
    }

    @Test("losses count once for each time that they begin")
    func losses() {
        let timeline = FaultTimeline([
            FaultSpan(.overflow(3), from: 10, nanoseconds: nil),
            FaultSpan(
                .overflow(4), from: 20, nanoseconds: nil,
                everyNanoseconds: 10),
        ])
        #expect(timeline.losses(after: 9, upTo: 10) == 3)
        #expect(timeline.losses(after: 10, upTo: 19) == 0)
        #expect(timeline.losses(after: 0, upTo: 40) == 15)
        #expect(timeline.lastBeginning(of: [.overflow], after: 10, upTo: 35)?.fault == .overflow(4))
    }

    @Test("no number from outside leaves the range")
    func extremes() {
        let span = FaultSpan(.stall, from: .max - 5, nanoseconds: .max, everyNanoseconds: 7)
        #expect(span.holds(at: .max - 1))
        #expect(span.change(after: .max - 5) == nil)
        let early = FaultSpan(.stall, from: 0, nanoseconds: 1, everyNanoseconds: .max)
        #expect(early.change(after: 5) == .max)
    }
}
