internal import Readings
internal import Synchronization

/// What is wrong with a simulated device: what its script says, and what it is told while it runs.
///
/// Whoever changes it has the device's thread look; the thread reads it with each batch.
public final class FaultBoard: Sendable {
    private struct State {
        /// On CLOCK_BOOTTIME.
        var timeline = FaultTimeline()
        /// Since the script began, which it has not.
        var scripted: FaultTimeline
    }

    private let state: Mutex<State>
    private let origin: MockOrigin

    /// Nothing is wrong but what a script says, by the time since it began.
    public init(_ scripted: FaultTimeline = FaultTimeline(), origin: MockOrigin) {
        state = Mutex(State(scripted: scripted))
        self.origin = origin
    }

    /// What is wrong and when, on CLOCK_BOOTTIME.
    public var timeline: FaultTimeline {
        state.withLock { state in
            join(&state)
            return state.timeline
        }
    }

    /// Begins a fault, or ends some, now; returns whether there was something to do.
    ///
    /// The clock is read with the board in hand: of a device that has read it before, no look was later than this.
    public func take(_ order: FaultOrder, clock: MockClock = .system) -> Bool {
        state.withLock { state in
            let now = clock.boot()
            join(&state)
            // A minute, so that nobody has missed what is forgotten.
            state.timeline.forget(before: now.nanoseconds - 60_000_000_000)
            // Nor do faults that nobody ends heap up.
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
