internal import Locking

/// The request of one sensor and its listeners; lives as long as the sensor or one of its listeners.
final class Tuning: Sendable {
    private struct State {
        var request: SensorRequest
        /// Counts the changes of the request.
        var revision = 0
        var accuracy = AccuracyFilter()
        var maximumAge: Duration?
        var listeners: Set<ListenerID> = []
        /// What stands for the resource to its observers; nil until somebody reads it.
        var observed: Observed?
        /// What stands for the settings to their observers; nil until somebody reads one.
        var settings: Observed?

        /// The request as the broker gets it.
        ///
        /// A reading that is too inaccurate must not count for the minimum change, and the broker does not know which one is. So with an
        /// accuracy, the change is applied here. An invalid one is left to the broker's part, which refuses it.
        var sent: SensorRequest {
            var sent = request
            // Whether it waits is a listener's own matter, and does not keep it from sharing a subscription.
            sent.waitsForResource = false
            if accuracy.isApplied, request.fault == nil { sent.minimumChange = nil }
            return sent
        }
    }

    let session: Session
    private let state: Locked<State>

    init(_ session: Session, _ request: SensorRequest) {
        self.session = session
        state = Locked(State(request: request))
    }

    /// One with the present settings of another one, for a sensor that stands for that one's in another session.
    init(_ session: Session, like other: Tuning) {
        self.session = session
        let (request, accuracy, maximumAge) = other.state.withLock { ($0.request, $0.accuracy, $0.maximumAge) }
        state = Locked(State(request: request, accuracy: accuracy, maximumAge: maximumAge))
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
                if state.request.resource != new.resource { state.observed = nil }
                state.request = new
                state.revision += 1
                if !state.listeners.isEmpty { session.change(state.listeners, to: state.sent, asked: new) }
                return true
            }
            if isDone { return settingsHaveChanged() }
        }
    }

    /// The request, for somebody who may observe it.
    var observedRequest: SensorRequest {
        settings.readValue()
        return request
    }

    /// What those who observe this sensor's settings observe.
    private var settings: Observed {
        state.withLock { state in
            let settings = state.settings ?? Observed()
            state.settings = settings
            return settings
        }
    }

    /// Notifies observers of the settings, if there may be any.
    private func settingsHaveChanged() { state.withLock { $0.settings }?.valueHasChanged() }

    /// Which locations are accurate enough for listeners and readers.
    var accuracy: AccuracyFilter { state.withLock { $0.accuracy } }

    /// The largest acceptable error, for somebody who may observe it.
    var observedAccuracy: Double? {
        settings.readValue()
        return accuracy.meters
    }

    /// Sets the largest acceptable error.
    ///
    /// An impossible one does not replace the one that is applied to present listeners, and they are informed.
    func setAccuracy(_ meters: Double?) {
        state.withLock { state in
            let former = state.sent
            if let fault = state.accuracy.set(meters) { session.send(.refused(fault), to: state.listeners) }
            guard state.sent != former, !state.listeners.isEmpty else { return }
            session.change(state.listeners, to: state.sent, asked: state.request)
        }
        settingsHaveChanged()
    }

    /// Readings that are older count as unknown; nil: none do.
    var maximumAge: Duration? {
        get {
            settings.readValue()
            return state.withLock { $0.maximumAge }
        }
        set {
            state.withLock { $0.maximumAge = newValue }
            settingsHaveChanged()
        }
    }

    /// The newest reading that is not too old, for somebody who may observe it.
    func newest(maximumAge: Duration?) -> Measured? {
        let (request, limit, observed) = lookUp()
        observed.readValue()
        return session.newest(for: request, maximumAge: [limit, maximumAge].compactMap { $0 }.min())
    }

    /// The state of the resource, for somebody who may observe it.
    var resourceState: ResourceState? {
        let (request, _, observed) = lookUp()
        observed.readState()
        return session.state(of: request.resource)
    }

    /// Notifies observers that something begins or ends to be kept up to date, if there may be any.
    func errorMayHaveChanged() { state.withLock { $0.observed }?.errorHasChanged() }

    /// Whoever observes now has read why something is not kept up to date.
    func readError() { lookUp().2.readError() }

    private func lookUp() -> (SensorRequest, Duration?, Observed) {
        state.withLock { state in
            let observed = state.observed ?? session.observed(state.request.resource)
            state.observed = observed
            return (state.request, state.maximumAge, observed)
        }
    }

    /// Adds a sink that follows the request, also after changes.
    func listen(_ sink: any Sink, isLasting: Bool = false) -> ListenerID? {
        state.withLock { state in
            let id = session.listen(to: state.sent, asked: state.request, sink, isLasting: isLasting)
            if let id { state.listeners.insert(id) }
            return id
        }
    }

    /// Removes the sink.
    func leave(_ listener: ListenerID?) {
        guard let listener else { return }
        state.withLock { _ = $0.listeners.remove(listener) }
        session.leave(listener)
    }

    /// The events of a new listener.
    func events<Value: Measurable>() -> SensorEvents<Value> {
        SensorEvents { [self] in
            let mailbox = Mailbox(EventBuffer<Value>(capacity: SensorEvents<Value>.capacity))
            if let fault = accuracy.fault {
                mailbox.finish(fault)
                return EventSource(mailbox)
            }
            let distance = Locked(DistanceFilter())
            let sink = MailboxSink(mailbox) { [self] value in
                // Only locations have an accuracy; others need not look.
                Value.self is Location.Type ? accepts(value, distance) : true
            }
            let id = listen(sink)
            return EventSource(mailbox) { [self] in leave(id) }
        }
    }
}

extension Tuning {
    /// Whether a listener wants a location: one that is accurate enough, and far enough from the one before if that is decided here.
    private func accepts(_ location: some Sendable, _ distance: borrowing Locked<DistanceFilter>) -> Bool {
        let (accuracy, change) = state.withLock { state in
            (state.accuracy, state.accuracy.isApplied ? state.request.minimumChange : nil)
        }
        return accuracy.accepts(location) && distance.withLock { $0.accepts(location, meters: change) }
    }
}

/// Keeps a subscription without listeners alive, so that the newest reading stays up to date.
final class Lease: Sendable {
    private let tuning: Tuning
    private let id: ListenerID?

    init(_ tuning: Tuning) {
        self.tuning = tuning
        id = tuning.listen(SilentSink(), isLasting: true)
    }

    deinit { tuning.leave(id) }

    /// Why the reading is not kept up to date; nil if it is.
    var error: SensorError? {
        tuning.readError()
        return id.map(tuning.session.failure) ?? .forked
    }

    /// Subscribes again, if the subscription has failed or was released.
    func renew(isAsked: Bool) {
        if let id { tuning.session.renew(id, isAsked: isAsked) }
    }
}
