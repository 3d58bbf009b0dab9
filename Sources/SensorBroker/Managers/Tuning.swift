internal import Platform

/// What one manager wants, and who listens through it; lives as long as the manager or one of its listeners.
final class Tuning: Sendable {
    private struct State {
        var request: SensorRequest
        var accuracyMeters: Double?
        var listeners: Set<Int> = []
    }

    let session: Session
    private let state: Locked<State>

    init(_ session: Session, _ request: SensorRequest) {
        self.session = session
        state = Locked(State(request: request))
    }

    /// What is wanted; a change reaches those who listen already.
    var request: SensorRequest {
        get { state.withLock { $0.request } }
        set {
            state.withLock { state in
                guard state.request != newValue else { return }
                state.request = newValue
                if !state.listeners.isEmpty { session.change(state.listeners, to: newValue) }
            }
        }
    }

    /// Positions with a larger error are left out; nil: none.
    var accuracyMeters: Double? {
        get { state.withLock { $0.accuracyMeters } }
        set { state.withLock { $0.accuracyMeters = newValue } }
    }

    /// Why no position can ever be exact enough; nil where one can.
    var accuracyFault: SensorError? {
        guard let accuracyMeters, !(accuracyMeters > 0) else { return nil }
        return .invalidRequest("an accuracy of \(accuracyMeters) m is none that a position can have; use nil for any")
    }

    /// A sink hears of what is wanted, whatever that is at the time.
    func listen(_ sink: any Sink) -> Int {
        state.withLock { state in
            let id = session.listen(to: state.request, sink)
            state.listeners.insert(id)
            return id
        }
    }

    /// The sink hears nothing more.
    func leave(_ listener: Int) {
        state.withLock { _ = $0.listeners.remove(listener) }
        session.leave(listener)
    }

    /// The events of one listener.
    func events<Value: Measurable>(
        accepting isAcceptable: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) -> SensorEvents<Value> {
        SensorEvents { [self] in
            let mailbox = Mailbox(EventBuffer<Value>(capacity: SensorEvents<Value>.capacity))
            if let accuracyFault {
                mailbox.finish(accuracyFault)
                return EventSource(mailbox)
            }
            let id = listen(MailboxSink(mailbox, request.resource, isAcceptable))
            return EventSource(mailbox) { [self] in leave(id) }
        }
    }
}
