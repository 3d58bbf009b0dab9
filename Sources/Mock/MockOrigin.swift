public import Readings
internal import Synchronization

/// When the script of simulated devices began: with the first use of any of them, so that whoever starts a broker and then
/// connects sees it from its beginning.
public final class MockOrigin: Sendable {
    /// An instant of the host, and UTC then.
    public struct Instant: Equatable, Sendable {
        /// For stamps.
        public let boot: BootTime
        /// For what a receiver says, nanoseconds since 1970.
        public let utcNanoseconds: Int64
    }

    private struct State {
        var instant: Instant?
        var didBegin: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    private let utcNanoseconds: Int64?

    /// One that has not begun; where nothing else is said, UTC is the host's then.
    public init(utcNanoseconds: Int64? = nil) { self.utcNanoseconds = utcNanoseconds }

    /// When it began; nil where it has not.
    public var instant: Instant? { state.withLock { $0.instant } }

    /// Begins now, unless it did; returns when it did.
    func begin(_ clock: MockClock) -> Instant {
        let (instant, tell) = state.withLock { state in
            let instant =
                state.instant
                ?? Instant(
                    boot: clock.boot(), utcNanoseconds: utcNanoseconds ?? clock.realtimeNanoseconds())
            state.instant = instant
            defer { state.didBegin = [] }
            return (instant, state.didBegin)
        }
        for act in tell { act() }
        return instant
    }

    /// Acts when it begins; at once where it did.
    func whenBegun(_ act: @escaping @Sendable () -> Void) {
        let hasBegun = state.withLock { state in
            if state.instant == nil { state.didBegin.append(act) }
            return state.instant != nil
        }
        if hasBegun { act() }
    }
}
