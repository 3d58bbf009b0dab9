internal import Readings
internal import Synchronization

/// The faults of a simulated device: those of its script, and those that are injected while it runs.
///
/// After a change, the device's thread must be woken; it reads the board with each batch.
public final class FaultBoard: Sendable {
    private struct State {
        /// With times on CLOCK_BOOTTIME.
        var timeline = FaultTimeline()
        /// With times since the script's start, until that is known.
        var scripted: FaultTimeline
    }

    private let state: Mutex<State>
    private let origin: MockOrigin

    /// Creates a board with the faults of a script.
    public init(_ scripted: FaultTimeline = FaultTimeline(), origin: MockOrigin) {
        state = Mutex(State(scripted: scripted))
        self.origin = origin
    }

    /// All faults, on CLOCK_BOOTTIME.
    public var timeline: FaultTimeline {
        state.withLock { state in
            join(&state)
            return state.timeline
        }
    }

    /// Begins or ends faults now; returns whether anything changed.
    ///
    /// The clock is read under the lock, so that a device that has read the board before did not see a later time.
    public func take(_ order: FaultOrder, clock: MockClock = .system) -> Bool {
        state.withLock { state in
            let now = clock.boot()
            join(&state)
            // Finished faults are kept for a minute, so that the device has seen them.
            state.timeline.forget(before: now.nanoseconds - 60_000_000_000)
            // Prevents unended faults from accumulating.
            if case .begin(let fault, _) = order { state.timeline.supersede(fault.kind, at: now.nanoseconds) }
            return state.timeline.take(order, at: now.nanoseconds)
        }
    }

    private func join(_ state: inout State) {
        guard !state.scripted.spans.isEmpty, let began = origin.instant?.boot.nanoseconds else { return }
        for span in state.scripted.shifted(by: began).spans { state.timeline.add(span) }
        state.scripted = FaultTimeline()
    }
}
