internal import Locking
public import SensorServices

/// A clock that only a test advances; several scripted sensors, and code that sleeps, may share one.
///
/// Code that takes an `any Clock<Duration>` sleeps on it: `try await clock.sleep(for: .seconds(3600))` returns when the test has
/// advanced it by an hour.
public final class VirtualTime: Clock {
    private struct Appointment {
        let instant: BootTime
        let action: @Sendable () -> Void
    }

    private struct State {
        var now = BootTime(nanoseconds: 0)
        var appointments: [Appointment] = []
        var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
        var lastSleeper = 0
    }

    private let state = Locked(State())
    private let sleeping = PendingCount()
    /// The time of the wall clock when the virtual clock is at zero.
    let origin: Duration

    /// Creates a clock at zero, when it is this time since 1970-01-01 00:00 UTC for ``/SensorServices/Reading``s.
    public init(timeSince1970 origin: Duration = .zero) { self.origin = origin }

    /// The present time.
    public var now: BootTime { state.withLock { $0.now } }

    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Advances the clock.
    ///
    /// All scheduled actions until then happen in order, each at its instant, before this returns.
    public func advance(by duration: Swift.Duration) {
        let end = state.withLock { $0.now.advanced(by: duration) }
        while let appointment = takeNext(until: end) { appointment.action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Sleeps until the clock has reached an instant; throws a `CancellationError` if the task is cancelled.
    public func sleep(until deadline: BootTime, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isAwake = state.withLock { state in
                    if Task.isCancelled || deadline <= state.now { return true }
                    state.sleepers[id] = continuation
                    return false
                }
                if isAwake { return continuation.resume() }
                schedule(at: deadline) { [weak self] in self?.takeSleeper(id)?.resume() }
                sleeping.change(by: 1)
            }
            try Task.checkCancellation()
        } onCancel: {
            takeSleeper(id)?.resume(throwing: CancellationError())
        }
    }

    /// Waits until so many tasks sleep on this clock, so that a test can then let time pass.
    ///
    /// The call also returns when its own task is cancelled, by a time limit of the test, say.
    public func untilSleeping(_ count: Int = 1) async { await sleeping.reach(count) }

    /// Schedules an action; one in the past happens in the next `advance`.
    func schedule(at instant: BootTime, _ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let index = state.appointments.firstIndex { $0.instant > instant } ?? state.appointments.endIndex
            state.appointments.insert(Appointment(instant: instant, action: action), at: index)
        }
    }

    private func takeSleeper(_ id: Int) -> CheckedContinuation<Void, any Error>? {
        let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
        if sleeper != nil { sleeping.change(by: -1) }
        return sleeper
    }

    private func takeNext(until end: BootTime) -> Appointment? {
        state.withLock { state in
            guard let next = state.appointments.first, next.instant <= end else { return nil }
            state.now = max(state.now, next.instant)
            return state.appointments.removeFirst()
        }
    }
}
