internal import CLinux

/// A descriptor that becomes readable at an instant, for an event loop whose deadline another thread may change.
///
/// Its clock is CLOCK_BOOTTIME: what became due while the host slept is due when it wakes up.
public struct WakeTimer: ~Copyable, Sendable {
    private let timer: Descriptor

    /// A timer that is not set. `timerfd_create(2)`
    public init() throws(SystemError) {
        let timer = Descriptor(owning: clinux_timer_create())
        guard timer.number >= 0 else { throw SystemError.current("timerfd_create") }
        self.timer = timer
    }

    /// Readable from the instant on until `set`; valid only while this value lives.
    public var descriptor: Int32 { timer.number }

    /// Becomes readable after this many nanoseconds, instead of when it was to before; nil: never. `timerfd_settime(2)`
    public func set(nanoseconds: Int64?) { clinux_timer_set(timer.number, nanoseconds.map { max(1, $0) } ?? 0) }
}
