internal import Platform

/// The request of one manager and its listeners; lives as long as the manager or one of its listeners.
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

    /// The request; a change applies to present listeners too.
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

    /// Positions with a larger error are left out; nil: none are.
    var accuracyMeters: Double? {
        get { state.withLock { $0.accuracyMeters } }
        set { state.withLock { $0.accuracyMeters = newValue } }
    }

    /// Why no position can be accurate enough; nil if one can.
    var accuracyFault: SensorError? {
        guard let accuracyMeters, !(accuracyMeters > 0) else { return nil }
        return .invalidRequest("an accuracy of \(accuracyMeters) m is impossible; use nil for any")
    }

    /// Adds a sink that follows the request, also after changes.
    func listen(_ sink: any Sink) -> Int {
        state.withLock { state in
            let id = session.listen(to: state.request, sink)
            state.listeners.insert(id)
            return id
        }
    }

    /// Removes the sink.
    func leave(_ listener: Int) {
        state.withLock { _ = $0.listeners.remove(listener) }
        session.leave(listener)
    }

    /// The events of a new listener.
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

/// Keeps a subscription without listeners alive, so that the newest reading stays up to date.
final class Lease: Sendable {
    private let tuning: Tuning
    private let id: Int

    init(_ tuning: Tuning) {
        self.tuning = tuning
        id = tuning.listen(SilentSink())
    }

    deinit { tuning.leave(id) }
}
