internal import Platform
public import Readings
internal import Synchronization

/// The start of the simulated devices' script: the first use of any of them, so that a client that connects to a new
/// broker sees the script from its beginning.
public final class MockOrigin: Sendable {
    /// The start on both clocks.
    public struct Instant: Equatable, Sendable {
        /// For timestamps.
        public let boot: BootTime
        /// For the receiver's UTC, in nanoseconds since 1970.
        public let utcNanoseconds: Int64
    }

    private struct State {
        var instant: Instant?
        var didBegin: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    private let utcNanoseconds: Int64?

    /// Creates an origin that has not begun; without a given UTC the host's is used.
    public init(utcNanoseconds: Int64? = nil) { self.utcNanoseconds = utcNanoseconds }

    /// The start; nil before that.
    public var instant: Instant? { state.withLock { $0.instant } }

    /// Begins now, unless it has begun; returns the start.
    func begin(_ clock: MockClock) -> Instant {
        let (instant, actions) = state.withLock { state in
            let instant =
                state.instant
                ?? Instant(
                    boot: clock.boot(), utcNanoseconds: utcNanoseconds ?? clock.realtimeNanoseconds())
            state.instant = instant
            defer { state.didBegin = [] }
            return (instant, state.didBegin)
        }
        for act in actions { act() }
        return instant
    }

    /// Calls a function at the start, or at once if that is past.
    func whenBegun(_ act: @escaping @Sendable () -> Void) {
        let hasBegun = state.withLock { state in
            if state.instant == nil { state.didBegin.append(act) }
            return state.instant != nil
        }
        if hasBegun { act() }
    }
}

/// The clocks that a mock uses; tests pass their own.
public struct MockClock: Sendable {
    /// The present time, for timestamps and schedules.
    public var boot: @Sendable () -> BootTime
    /// Nanoseconds since 1970, for the receiver's UTC.
    public var realtimeNanoseconds: @Sendable () -> Int64

    /// Creates a clock of two functions.
    public init(boot: @escaping @Sendable () -> BootTime, realtimeNanoseconds: @escaping @Sendable () -> Int64) {
        self.boot = boot
        self.realtimeNanoseconds = realtimeNanoseconds
    }

    /// The host's clocks.
    public static let system = MockClock(
        boot: { BootTime(nanoseconds: Clock.bootNanoseconds()) },
        realtimeNanoseconds: { Clock.realtimeNanoseconds() })
}
