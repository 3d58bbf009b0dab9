import Devices
import Mock
import Readings
import Testing

@Suite struct MockAccelerometerTests {
    private static func demand(_ interval: Int64?, latency: Int64 = 0) -> Demand {
        Demand(intervalNanoseconds: interval, latencyNanoseconds: latency)
    }

    private static func samples(_ intake: Intake) -> [Sample] {
        intake.events.apart.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }

    /// Waits for readiness and reads, this many times; each wake-up is a little late.
    private static func run(
        _ device: inout MockDevice, _ clock: TestClock, _ intake: inout Intake, times: Int
    ) throws {
        for _ in 0..<times {
            guard case .at(let instant) = device.readiness else {
                Issue.record("waits for something else")
                return
            }
            clock.move(to: instant + 37)
            try device.read(into: &intake)
        }
    }

    @Test("it offers its rates, ascending by interval, and reports that it is simulated")
    func profile() throws {
        var device = MockDevice(.handHeld(seed: 1), clock: TestClock().clock)
        let profile = try device.probe()
        #expect(profile.simulated)
        #expect(profile.intervalNanoseconds == nil)
        let hertz: [Double] = [1, 5, 10, 12.5, 25, 50, 100, 200, 400, 800, 1000, 1600, 2000, 4000]
        #expect(profile.offered == .discrete(hertz.reversed().map { Int64(1e9 / $0) }))
    }

    @Test(
        "it runs at the slowest rate that is fast enough, and no faster than it can",
        arguments: [
            (10_000_000, 10_000_000), (19_999_999, 10_000_000), (20_000_000, 20_000_000), (1, 250_000), (0, 250_000),
            (3_600_000_000_000, 1_000_000_000), (nil, 10_000_000),
        ] as [(Int64?, Int64)])
    func picks(asked: Int64?, granted: Int64) throws {
        var device = MockDevice(.handHeld(seed: 1), clock: TestClock().clock)
        #expect(try device.open(Self.demand(asked)).intervalNanoseconds == granted)
    }

    @Test("samples stand on an exact grid from the opening")
    func grid() throws {
        let clock = TestClock()
        let start = clock.now
        var device = MockDevice(.handHeld(seed: 1), clock: clock.clock)
        _ = try device.open(Self.demand(625_000))
        var intake = Intake()
        try Self.run(&device, clock, &intake, times: 1000)
        let samples = Self.samples(intake)
        #expect(samples.map(\.timestamp) == (0..<1000).map { start + $0 * 625_000 })
        #expect(samples.map(\.sequence) == Array(0..<1000))
    }

    @Test("it wakes once per batch")
    func batches() throws {
        let clock = TestClock()
        var device = MockDevice(.handHeld(seed: 1), clock: clock.clock)
        _ = try device.open(Self.demand(1_000_000, latency: 100_000_000))
        var intake = Intake()
        try Self.run(&device, clock, &intake, times: 3)
        #expect(Self.samples(intake).count == 300)
    }

    @Test("two runs with one seed give the same values, batches or not; another seed others")
    func deterministic() throws {
        func values(seed: UInt64, latency: Int64, times: Int) throws -> [Measurement] {
            let clock = TestClock()
            clock.pass(nanoseconds: Int64(seed) * 12_345 + latency)
            var device = MockDevice(.handHeld(seed: seed), clock: clock.clock)
            _ = try device.open(Self.demand(10_000_000, latency: latency))
            var intake = Intake()
            try Self.run(&device, clock, &intake, times: times)
            return Self.samples(intake).map(\.measurement)
        }
        let single = try values(seed: 1, latency: 0, times: 200)
        #expect(try values(seed: 1, latency: 100_000_000, times: 20) == single)
        #expect(try values(seed: 2, latency: 0, times: 200) != single)
    }

    @Test("a change of rate loses and duplicates nothing, even in the middle of a batch")
    func adjusts() throws {
        let clock = TestClock()
        let start = clock.now
        var device = MockDevice(.handHeld(seed: 1), clock: clock.clock)
        _ = try device.open(Self.demand(10_000_000, latency: 100_000_000))
        var intake = Intake()
        clock.pass(nanoseconds: 34_000_000)
        #expect(try device.adjust(to: Self.demand(5_000_000), &intake).intervalNanoseconds == 5_000_000)
        try Self.run(&device, clock, &intake, times: 3)
        let milliseconds = Self.samples(intake).map { ($0.timestamp - start) / 1_000_000 }
        #expect(milliseconds == [0, 10, 20, 30, 35, 40, 45])
        #expect(Self.samples(intake).map(\.sequence) == Array(0..<7))
        #expect(intake.events.apart.count == 7)
    }

    @Test("after the host has slept there is one gap and one fresh sample, and the numbers show the loss")
    func suspended() throws {
        let clock = TestClock()
        let start = clock.now
        var device = MockDevice(.handHeld(seed: 1), clock: clock.clock)
        _ = try device.open(Self.demand(10_000_000))
        var intake = Intake()
        try Self.run(&device, clock, &intake, times: 2)
        clock.move(to: start + 60_000_000_000)
        intake.removeAll()
        try device.read(into: &intake)
        #expect(
            intake.events.apart.first
                == .gap(
                    Gap(
                        cause: .deviceOverflow, count: 5998, from: start + 20_000_000, until: start + 59_990_000_000)))
        #expect(Self.samples(intake).map(\.sequence) == [6000])
        #expect(Self.samples(intake).map(\.timestamp) == [start + 60_000_000_000])
        #expect(intake.events.apart.count == 2)
    }

    @Test("a closed device yields nothing and waits for nothing")
    func closed() throws {
        var device = MockDevice(.handHeld(seed: 1), clock: TestClock().clock)
        var intake = Intake()
        try device.read(into: &intake)
        #expect(intake.events.apart.isEmpty)
        #expect(device.readiness == .at(BootTime(nanoseconds: .max)))
        _ = try device.open(Self.demand(nil))
        device.close()
        try device.read(into: &intake)
        #expect(intake.events.apart.isEmpty)
    }
}
