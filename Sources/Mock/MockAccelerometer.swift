public import Devices
public import Readings

/// An accelerometer without hardware, from 1 Hz to 4 kHz.
public struct MockAccelerometer: DeviceDriver, ~Copyable {
    /// The intervals that it offers, in nanoseconds: 4000, 2000, 1600, 1000, 800, 400, 200, 100, 50, 25, 12.5, 10, 5 and
    /// 1 Hz.
    public static let offeredNanoseconds: [Int64] = [
        250_000, 500_000, 625_000, 1_000_000, 1_250_000, 2_500_000, 5_000_000, 10_000_000, 20_000_000, 40_000_000,
        80_000_000, 100_000_000, 200_000_000, 1_000_000_000,
    ]

    private let motion: MockMotion
    private var stream: MockStream

    /// A closed accelerometer whose values depend on the seed and the time since it was opened.
    public init(seed: UInt64, clock: MockClock = .system) {
        motion = MockMotion(seed: seed)
        stream = MockStream(
            clock: clock, offered: Self.offeredNanoseconds, ownIntervalNanoseconds: 10_000_000,
            description: "mock accelerometer")
    }

    /// What it can do.
    public mutating func probe() -> DeviceProfile { stream.profile }

    /// Starts it; its first sample is taken now.
    public mutating func open(_ demand: Demand) -> DeviceProfile { stream.open(demand) }

    /// Changes the pace without losing a sample.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) -> DeviceProfile {
        let motion = motion
        return stream.adjust(to: demand, &intake) {
            .acceleration(Resolution.limited(motion.acceleration(atNanoseconds: $0)))
        }
    }

    /// Once per batch: when its last sample is taken.
    public var readiness: Readiness { stream.readiness }

    /// Takes the samples that are due.
    public mutating func read(into intake: inout Intake) {
        let motion = motion
        stream.read(into: &intake) { .acceleration(Resolution.limited(motion.acceleration(atNanoseconds: $0))) }
    }

    /// Stops it.
    public mutating func close() { stream.close() }
}
