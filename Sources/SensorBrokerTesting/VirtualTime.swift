internal import Platform
public import SensorBroker

/// A clock that only a test advances; several scripted sensors may share one.
public final class VirtualTime: Sendable {
    private struct Appointment {
        let instant: BootTime
        let action: @Sendable () -> Void
    }

    private struct State {
        var now = BootTime(nanoseconds: 0)
        var appointments: [Appointment] = []
    }

    private let state = Locked(State())

    /// Creates a clock at zero.
    public init() {}

    /// The present time.
    public var now: BootTime { state.withLock { $0.now } }

    /// Advances the clock.
    ///
    /// All scheduled actions until then happen in order, each at its instant, before this returns.
    public func advance(by duration: Duration) {
        let end = state.withLock { $0.now + duration.nanoseconds }
        while let appointment = takeNext(until: end) { appointment.action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Schedules an action; one in the past happens in the next `advance`.
    func schedule(at instant: BootTime, _ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            let index = state.appointments.firstIndex { $0.instant > instant } ?? state.appointments.endIndex
            state.appointments.insert(Appointment(instant: instant, action: action), at: index)
        }
    }

    private func takeNext(until end: BootTime) -> Appointment? {
        state.withLock { state in
            guard let next = state.appointments.first, next.instant <= end else { return nil }
            state.now = max(state.now, next.instant)
            return state.appointments.removeFirst()
        }
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ attoseconds / 1_000_000_000
    }
}
