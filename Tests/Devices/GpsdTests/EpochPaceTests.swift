import Readings
import Testing

@testable import Gpsd

@Suite struct EpochPaceTests {
    private static let second: Int64 = 1_000_000_000
    private static let bare = shape(speed: false)
    private static let full = shape(speed: true)

    @Test("after a shape that ended ten epochs in a row over more than five seconds there is no wait")
    func proven() {
        var pace = EpochPace()
        for epoch in 0..<10 {
            #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) > 0)
            pace.note(Self.epoch(epoch * 1000, Self.full))
        }
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 0)
    }

    @Test("ten epochs prove nothing at 20 Hz, since some reports come every five seconds")
    func provenByTime() {
        var pace = EpochPace()
        for epoch in 0..<100 { pace.note(Self.epoch(epoch * 50, Self.full)) }
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: 50_000_000) == 45_000_000)
        for epoch in 100..<103 { pace.note(Self.epoch(epoch * 50, Self.full)) }
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: 50_000_000) == 0)
    }

    @Test("waits for one and a half times the longest pause, and never until the next epoch")
    func continued() {
        var pace = EpochPace()
        for epoch in 0..<4 { pace.note(Self.epoch(epoch * 1000, Self.full, Self.full, pause: 40)) }
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 80_000_000)
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: 50_000_000) == 45_000_000)
        pace.note(Self.epoch(4000, Self.full, Self.full, pause: 660))
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 900_000_000)
        for epoch in 5..<37 { pace.note(Self.epoch(epoch * 1000, Self.full)) }
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 900_000_000)
        for epoch in 37..<40 { pace.note(Self.epoch(epoch * 1000, Self.full)) }
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 0)
    }

    @Test("there is a wait after a new shape, and after a change of shapes until it has happened twice")
    func turns() {
        var pace = EpochPace()
        var epoch = 0
        func end(_ shape: ReportShape, _ count: Int) {
            for _ in 0..<count {
                pace.note(Self.epoch(epoch * 1000, shape))
                epoch += 1
            }
        }
        end(Self.full, 20)
        #expect(pace.quietNanoseconds(after: Self.bare, reports: 9, interval: Self.second) == 900_000_000)
        end(Self.bare, 12)
        #expect(pace.quietNanoseconds(after: Self.bare, reports: 9, interval: Self.second) == 0)
        // It has ended epochs, but none of them recently after another shape.
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 900_000_000)
        end(Self.full, 1)
        #expect(pace.quietNanoseconds(after: Self.bare, reports: 9, interval: Self.second) == 900_000_000)
        end(Self.bare, 1)
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 0)
    }

    @Test("a mode of 0 is the beginning of an epoch, however often it was the end")
    func unseen() {
        var pace = EpochPace()
        let unseen = ReportShape(FixReport(mode: 0))
        for epoch in 0..<50 { pace.note(Self.epoch(epoch * 1000, unseen)) }
        #expect(pace.quietNanoseconds(after: unseen, reports: 9, interval: Self.second) == 900_000_000)
    }

    @Test("after a late report four epochs wait, and its shape must end sixty epochs before it is trusted")
    func late() {
        var pace = EpochPace()
        for epoch in 0..<12 { pace.note(Self.epoch(epoch * 1000, Self.full)) }
        pace.noteLate(after: Self.full, pauseNanoseconds: .max)
        for epoch in 12..<71 { pace.note(Self.epoch(epoch * 1000, Self.full)) }
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 900_000_000)
        pace.note(Self.epoch(71_000, Self.full))
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 0)
    }

    @Test("fewer reports than in recent epochs are the beginning of one, whatever the last one's shape")
    func fewer() {
        var pace = EpochPace()
        func quiet(_ reports: Int) -> Int64 {
            pace.quietNanoseconds(after: Self.full, reports: reports, interval: Self.second)
        }
        for epoch in 0..<12 { pace.note(Self.epoch(epoch * 1000, Self.full, Self.full, pause: 40)) }
        #expect(quiet(1) == 1_500_000_000)
        #expect(quiet(2) == 80_000_000)
        // One report that came alone, and one that seemed to: only the first epoch was complete.
        pace.note(Self.epoch(12_000, Self.full))
        #expect(quiet(1) == 80_000_000)
        for epoch in 13..<45 { pace.note(Self.epoch(epoch * 1000, Self.full, Self.full, pause: 40)) }
        pace.note(Self.epoch(45_000, Self.full))
        pace.noteLate(after: Self.full, pauseNanoseconds: 40_000_000)
        for epoch in 46..<50 { pace.note(Self.epoch(epoch * 1000, Self.full, Self.full, pause: 40)) }
        #expect(quiet(1) == 1_500_000_000)
        #expect(quiet(2) == 80_000_000)
    }

    @Test("while the interval is unknown, the wait is longer than an epoch of most receivers")
    func unknownInterval() {
        let pace = EpochPace()
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: nil) == 1_500_000_000)
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: 10 * Self.second) == 9_000_000_000)
    }

    @Test("the number of remembered shapes is bounded, and the usual one is not forgotten")
    func bounded() {
        var pace = EpochPace()
        for epoch in 0..<2000 {
            pace.note(Self.epoch(epoch * 1000, epoch % 2 == 0 ? Self.full : ReportShape(FixReport(mode: epoch + 4))))
        }
        #expect(MemoryLayout<EpochPace>.size < 200)
        #expect(pace.quietNanoseconds(after: Self.full, reports: 9, interval: Self.second) == 0)
        #expect(pace.quietNanoseconds(after: Self.bare, reports: 9, interval: Self.second) == 900_000_000)
    }

    private static func shape(speed: Bool) -> ReportShape {
        var report = FixReport(mode: 3)
        if speed { report.location.speedMetersPerSecond = 1 }
        return ReportShape(report)
    }

    private static func epoch(
        _ milliseconds: Int, _ first: ReportShape, _ last: ReportShape? = nil, pause: Int64 = 0
    ) -> Epoch {
        let time = FixTime(
            seconds: 1_600_000_000 + Int64(milliseconds) / 1000, nanoseconds: Int64(milliseconds) % 1000 * 1_000_000)
        let arrival = BootTime(nanoseconds: Int64(milliseconds) * 1_000_000)
        var epoch = Epoch(time: time, location: Location(fix: .noPosition), shape: first, arrival: arrival)
        if let last { epoch.merge(Location(fix: .noPosition), shape: last, arrival: arrival + pause * 1_000_000) }
        return epoch
    }
}
