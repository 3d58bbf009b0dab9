internal import SensorServices

/// The host's clock that readings are stamped by, for code that takes a clock, so that its tests can give it a `VirtualTime`.
///
///     struct Watchdog<Time: Clock<Duration>> {
///         let location: any LocationService
///         let clock: Time
///     }
///     let watchdog = Watchdog(location: LocationManager(), clock: .boot)
///
/// The clock goes on while the host sleeps, and never steps.
public struct BootClock: Clock {
    /// Creates the clock; all are the same.
    public init() {}

    /// The present time.
    public var now: BootTime { .now }

    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until the clock has reached an instant; throws a `CancellationError` if the task is cancelled.
    public func sleep(until deadline: BootTime, tolerance: Duration? = nil) async throws {
        // On Linux the continuous clock is the same.
        try await Task.sleep(for: now.duration(to: deadline), tolerance: tolerance, clock: .continuous)
    }
}

extension Clock where Self == BootClock {
    /// The host's clock that readings are stamped by.
    public static var boot: Self { BootClock() }
}
