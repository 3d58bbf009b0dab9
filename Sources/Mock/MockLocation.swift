public import Devices
public import Readings

/// A receiver without hardware, from 1 to 10 Hz, always with a fix.
public struct MockLocation: DeviceDriver, ~Copyable {
    /// The intervals that it offers, in nanoseconds: 10, 5, 2 and 1 Hz.
    public static let offeredNanoseconds: [Int64] = [100_000_000, 200_000_000, 500_000_000, 1_000_000_000]

    private let track: MockTrack
    private let clock: MockClock
    private var stream: MockStream
    // UTC of the opening. Not asked anew for each sample: a receiver's clock does not step with the host's.
    private var startUTCNanoseconds: Int64 = 0

    /// A closed receiver whose positions depend on the seed and the time since it was opened.
    public init(seed: UInt64, clock: MockClock = .system) {
        track = MockTrack(seed: seed)
        self.clock = clock
        stream = MockStream(
            clock: clock, offered: Self.offeredNanoseconds, ownIntervalNanoseconds: 1_000_000_000,
            description: "mock receiver")
    }

    /// What it can do.
    public mutating func probe() -> DeviceProfile { stream.profile }

    /// Starts it; its first fix is taken now.
    public mutating func open(_ demand: Demand) -> DeviceProfile {
        startUTCNanoseconds = clock.realtimeNanoseconds()
        return stream.open(demand)
    }

    /// Changes the pace without losing a fix.
    public mutating func adjust(to demand: Demand, _ intake: inout Intake) -> DeviceProfile {
        let measure = measure
        return stream.adjust(to: demand, &intake, measure)
    }

    /// When the next fix, or the last of a batch, is taken.
    public var readiness: Readiness { stream.readiness }

    /// Takes the fixes that are due.
    public mutating func read(into intake: inout Intake) {
        let measure = measure
        stream.read(into: &intake, measure)
    }

    /// Stops it.
    public mutating func close() { stream.close() }

    private var measure: (Int64) -> Measurement {
        { [track, startUTCNanoseconds] elapsedNanoseconds in
            var location = track.location(atNanoseconds: elapsedNanoseconds)
            Resolution.limit(&location)
            location.utcMicroseconds = (startUTCNanoseconds &+ elapsedNanoseconds) / 1000
            return .location(location)
        }
    }
}
