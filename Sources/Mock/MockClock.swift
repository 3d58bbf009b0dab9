internal import Platform
public import Readings

/// The clocks that a mock runs by; a test hands in its own.
public struct MockClock: Sendable {
    /// Now, for stamps and schedules.
    public var boot: @Sendable () -> BootTime
    /// Nanoseconds since 1970, for the receiver's UTC.
    public var realtimeNanoseconds: @Sendable () -> Int64

    /// A clock of two functions.
    public init(boot: @escaping @Sendable () -> BootTime, realtimeNanoseconds: @escaping @Sendable () -> Int64) {
        self.boot = boot
        self.realtimeNanoseconds = realtimeNanoseconds
    }

    /// The clocks of the host.
    public static let system = MockClock(
        boot: { BootTime(nanoseconds: Clock.bootNanoseconds()) },
        realtimeNanoseconds: { Clock.realtimeNanoseconds() })
}
