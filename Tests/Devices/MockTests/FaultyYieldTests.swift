import Devices
import Readings
import Testing

@testable import Mock

@Suite struct FaultyYieldTests {
    private static func at(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

    private static func turn(_ number: Double) -> Measurement { .values(AngularVelocity(x: number, y: 0, z: 0)) }

    private static func push(_ number: Double) -> Measurement { .values(Acceleration(x: number, y: 0, z: 0)) }

    @Test("a late device hands over all that it has held, in order; what is of one kind goes together")
    func late() throws {
        let late = FaultSpan(.late, from: 0, nanoseconds: 100_000_000)
        let timeline = FaultTimeline([late])
        var (yield, intake) = (FaultyYield(openedAt: Self.at(0)), Intake())
        yield.take(Self.push(1), at: Self.at(10), timeline)
        yield.take(Self.push(2), at: Self.at(20), timeline)
        yield.handOver(to: &intake, timeline, now: Self.at(25))
        #expect(intake.events.isEmpty)
        let gap = Gap(cause: .deviceOverflow, count: 3, from: Self.at(30), until: Self.at(50))
        yield.take(gap)
        yield.take(Self.push(3), at: Self.at(60), timeline)
        yield.take(Self.turn(4), at: Self.at(70), timeline)
        yield.take(Self.turn(5), at: Self.at(80), timeline)
        yield.take(scan: [Self.push(6), Self.turn(7)], at: Self.at(90), timeline)
        yield.handOver(to: &intake, timeline, now: Self.at(120))
        let events = intake.events
        try #require(events.count == 6)
        guard case .run(let pushes) = events[0], case .run(let turns) = events[3] else {
            Issue.record("two of a kind are a run: \(events)")
            return
        }
        #expect(pushes.samples.map(\.sequence) == [0, 1] && pushes.samples.map(\.timestamp) == [10, 20].map(Self.at))
        #expect(pushes.samples.map(\.measurement) == [Self.push(1), Self.push(2)])
        #expect(events[1] == .gap(gap))
        #expect(events[2] == .sample(Sample(sequence: 5, timestamp: Self.at(60), measurement: Self.push(3))))
        #expect(turns.samples.map(\.sequence) == [6, 7] && turns.samples.map(\.measurement) == [4, 5].map(Self.turn))
        for (event, measurement) in zip(events[4...], [Self.push(6), Self.turn(7)]) {
            #expect(event == .sample(Sample(sequence: 8, timestamp: Self.at(90), measurement: measurement)))
        }
        yield.handOver(to: &intake, timeline, now: Self.at(130))
        #expect(intake.events.count == 6)
    }

    @Test("a device that is late for long loses its oldest samples, and reports how many")
    func tooLate() throws {
        let timeline = FaultTimeline([FaultSpan(.late, from: 0, nanoseconds: 100_000_000_000)])
        var (yield, intake) = (FaultyYield(openedAt: Self.at(0)), Intake())
        let count = FaultyYield.heldCapacity / 1_000 * 1_000 + 1_000
        for number in 1...count {
            yield.take(Self.push(Double(number % 10)), at: Self.at(Int64(number)), timeline)
            if number % 1_000 == 0 { yield.handOver(to: &intake, timeline, now: Self.at(Int64(number))) }
        }
        #expect(intake.events.isEmpty)
        yield.handOver(to: &intake, timeline, now: Self.at(100_000))
        guard case .gap(let gap)? = intake.events.first else {
            Issue.record("it lost something: \(intake.events.count)")
            return
        }
        let samples = intake.events.apart.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
        #expect(gap == Gap(cause: .deviceOverflow, count: 5_000, from: Self.at(1), until: Self.at(5_000)))
        #expect(samples.map(\.timestamp) == (5_001...Int64(count)).map(Self.at))
        #expect(samples.first?.sequence == 5_000)
    }
}
