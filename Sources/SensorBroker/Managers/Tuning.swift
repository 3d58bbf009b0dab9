internal import Platform

/// The request of one manager and its listeners; lives as long as the manager or one of its listeners.
final class Tuning: Sendable {
    private struct State {
        var request: SensorRequest
        /// Counts the changes of the request.
        var revision = 0
        /// As it was set, and the last valid one.
        var accuracyMeters: Double?
        var appliedAccuracyMeters: Double?
        var maximumAge: Duration?
        var listeners: Set<Int> = []
    }

    let session: Session
    private let state: Locked<State>

    init(_ session: Session, _ request: SensorRequest) {
        self.session = session
        state = Locked(State(request: request))
    }

    /// The request.
    var request: SensorRequest { state.withLock { $0.request } }

    /// Changes the request, for present listeners too; no other change of it is undone.
    ///
    /// The closure runs without the lock, since it is the user's, and again if the request has changed meanwhile.
    func mutateRequest(_ body: (inout SensorRequest) -> Void) {
        while true {
            var (new, revision) = state.withLock { ($0.request, $0.revision) }
            body(&new)
            let isDone = state.withLock { state in
                guard state.revision == revision else { return false }
                guard state.request != new else { return true }
                state.request = new
                state.revision += 1
                if !state.listeners.isEmpty { session.change(state.listeners, to: new) }
                return true
            }
            if isDone { return }
        }
    }

    /// Positions with a larger error are left out; nil: none are.
    ///
    /// An impossible one does not replace the one that is applied to present listeners, and they are told.
    var accuracyMeters: Double? {
        get { state.withLock { $0.accuracyMeters } }
        set {
            state.withLock { state in
                state.accuracyMeters = newValue
                if let fault = Self.fault(ofAccuracy: newValue) {
                    session.send(.refused(fault), to: state.listeners)
                } else {
                    state.appliedAccuracyMeters = newValue
                }
            }
        }
    }

    /// Whether a position is accurate enough for listeners.
    func isAcceptable(_ location: Location) -> Bool {
        state.withLock { $0.appliedAccuracyMeters }.map { location.isWithin(meters: $0) } ?? true
    }

    /// Readings that are older count as unknown; nil: none do.
    var maximumAge: Duration? {
        get { state.withLock { $0.maximumAge } }
        set { state.withLock { $0.maximumAge = newValue } }
    }

    /// Why no position can be accurate enough; nil if one can.
    var accuracyFault: SensorError? { Self.fault(ofAccuracy: accuracyMeters) }

    private static func fault(ofAccuracy meters: Double?) -> SensorError? {
        guard let meters, !(meters > 0) else { return nil }
        return .invalidRequest("an accuracy of \(meters) m is impossible; use nil for any")
    }

    /// Adds a sink that follows the request, also after changes.
    func listen(_ sink: any Sink, isLasting: Bool = false) -> Int {
        state.withLock { state in
            let id = session.listen(to: state.request, sink, isLasting: isLasting)
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
            let id = listen(MailboxSink(mailbox, isAcceptable))
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
        id = tuning.listen(SilentSink(), isLasting: true)
    }

    deinit { tuning.leave(id) }

    /// Why the reading is not kept up to date; nil if it is.
    var error: SensorError? { tuning.session.failure(of: id) }

    /// Subscribes again, if the subscription has failed or was released.
    func renew(isAsked: Bool) { tuning.session.renew(id, isAsked: isAsked) }
}
