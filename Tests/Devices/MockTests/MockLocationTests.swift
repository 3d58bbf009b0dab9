import Devices
import Mock
import Readings
import Testing

@Suite struct MockLocationTests {
    private static let second: Int64 = 1_000_000_000

    /// Locations of a receiver that is read this many times, with their stamps.
    private static func run(
        _ device: inout MockDevice, _ clock: TestClock, times: Int
    ) throws -> [(location: Location, at: BootTime)] {
        var intake = Intake()
        for _ in 0..<times {
            if case .at(let instant) = device.readiness { clock.move(to: instant + 1000) }
            try device.read(into: &intake)
        }
        return intake.events.apart.compactMap {
            guard case .sample(let sample) = $0, case .location(let location) = sample.measurement else { return nil }
            return (location, sample.timestamp)
        }
    }

    @Test("it offers 1 to 10 Hz, is simulated, and has a default rate of 1 Hz")
    func profile() throws {
        var device = MockDevice(.driving(seed: 1), clock: TestClock().clock)
        #expect(try device.probe().offered == .discrete([100_000_000, 200_000_000, 500_000_000, Self.second]))
        #expect(try device.probe().simulated)
        #expect(try device.open(Demand(intervalNanoseconds: nil)).intervalNanoseconds == Self.second)
    }

    @Test("UTC advances with the stamps, from the wall clock of the opening")
    func utc() throws {
        let clock = TestClock()
        var device = MockDevice(.driving(seed: 1), clock: clock.clock)
        _ = try device.open(Demand(intervalNanoseconds: 200_000_000))
        let fixes = try Self.run(&device, clock, times: 20)
        #expect(
            fixes.map(\.location.utcMicroseconds)
                == (0..<20).map { TestClock.startRealtime / 1000 + $0 * 200_000 })
    }

    @Test("two runs with one seed drive the same way, at any rate")
    func deterministic() throws {
        func drive(seed: UInt64, interval: Int64) throws -> [Location] {
            let clock = TestClock()
            var device = MockDevice(.driving(seed: seed), clock: clock.clock)
            _ = try device.open(Demand(intervalNanoseconds: interval))
            return try Self.run(&device, clock, times: Int(10 * Self.second / interval)).map(\.location)
        }
        let slow = try drive(seed: 1, interval: Self.second)
        #expect(slow.count == 10)
        #expect(try drive(seed: 1, interval: Self.second) == slow)
        let fast = try drive(seed: 1, interval: 100_000_000)
        #expect(fast.indices.filter { $0 % 10 == 0 }.map { fast[$0] } == slow)
        #expect(try drive(seed: 2, interval: Self.second) != slow)
    }

    @Test("a change of rate counts from the last fix")
    func adjusts() throws {
        let clock = TestClock()
        let start = clock.now
        var device = MockDevice(.driving(seed: 1), clock: clock.clock)
        _ = try device.open(Demand(intervalNanoseconds: Self.second))
        _ = try Self.run(&device, clock, times: 2)
        var intake = Intake()
        _ = try device.adjust(to: Demand(intervalNanoseconds: 500_000_000), &intake)
        #expect(intake.events.apart.isEmpty)
        let stamps = try Self.run(&device, clock, times: 3).map { $0.at - start }
        #expect(stamps == [Self.second + 500_000_000, 2 * Self.second, 2 * Self.second + 500_000_000])
    }
}
