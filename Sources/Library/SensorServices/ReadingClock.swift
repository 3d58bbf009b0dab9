/// The clock by which a reading was stamped: the host's, or a test's in its place.
///
/// All are equal, since readings are if they have the same values of the same instant.
package struct ReadingClock: Hashable, Sendable {
    private final class Virtual: Sendable {
        let now: @Sendable () -> BootTime
        let timeSince1970AtZero: Duration

        init(_ now: @escaping @Sendable () -> BootTime, _ timeSince1970AtZero: Duration) {
            self.now = now
            self.timeSince1970AtZero = timeSince1970AtZero
        }
    }

    /// A test's clock by reference, since each reading has one; nil: the host's.
    private let virtual: Virtual?

    /// The host's clock.
    package init() { virtual = nil }

    /// A test's clock, by what it shows now, and by what the wall clock shows when it is at zero.
    package init(timeSince1970AtZero: Duration, now: @escaping @Sendable () -> BootTime) {
        virtual = Virtual(now, timeSince1970AtZero)
    }

    /// The present time of a test's clock; nil for the host's.
    package var virtualNow: BootTime? { virtual?.now() }

    /// An instant of a test's clock as the time since 1970; nil for the host's.
    package func virtualTimeSince1970(_ instant: BootTime) -> Duration? {
        virtual.map { $0.timeSince1970AtZero + .nanoseconds(instant.nanoseconds) }
    }

    /// True.
    package static func == (one: Self, other: Self) -> Bool { true }

    /// Adds nothing.
    package func hash(into hasher: inout Hasher) {}
}
