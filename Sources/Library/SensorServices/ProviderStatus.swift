internal import Locking

/// How a provision stands: what is wanted, why nothing is provided, and the events of both.
package final class ProviderStatus: Sendable {
    fileprivate struct State {
        var demand = SensorDemand.nobody
        /// Whether the demand was received since the last interruption.
        var isDemandKnown = false
        var error: SensorError?
        var isFinished = false
        /// Those of running iterations, which keep them alive.
        var mailboxes: [WeakMailbox] = []
    }

    fileprivate struct WeakMailbox: Sendable {
        weak let mailbox: Mailbox<ProviderBuffer>?
    }

    private let state = Locked(State())

    package init() {}

    /// What is wanted.
    package var demand: SensorDemand { state.withLock { $0.demand } }

    /// Why nothing is provided; nil if it is, or is about to be.
    package var error: SensorError? { state.withLock { $0.error } }

    /// Samples are taken from now on.
    package func markProvided() { state.withLock { state in if !state.isFinished { state.error = nil } } }

    /// Takes an event; iterations get it if it changes something.
    package func take(_ event: ProviderEvent) {
        let mailboxes = state.withLock { state -> [WeakMailbox] in
            guard !state.isFinished, state.take(event) else { return [] }
            state.mailboxes.removeAll { $0.mailbox == nil }
            return state.mailboxes
        }
        for one in mailboxes { one.mailbox?.put(event) }
    }

    /// Ends the iterations, with the error if there is one; only the first end counts.
    package func finish(_ error: SensorError?) {
        let mailboxes = state.withLock { state -> [WeakMailbox] in
            guard !state.isFinished else { return [] }
            state.isFinished = true
            state.error = error
            state.demand = .nobody
            defer { state.mailboxes = [] }
            return state.mailboxes
        }
        for one in mailboxes { one.mailbox?.finish(error) }
    }

    /// The events from the start of an iteration on, which begins with how it stands.
    var events: ProviderEvents {
        ProviderEvents { [self] in
            let mailbox = Mailbox(ProviderBuffer())
            // Nobody waits at the mailbox yet, so what is put there under the lock runs nothing else.
            state.withLock { state in
                guard !state.isFinished else { return mailbox.finish(state.error) }
                if let error = state.error { mailbox.put(.disconnected(error)) }
                if state.isDemandKnown || state.demand != .nobody { mailbox.put(.demand(state.demand)) }
                state.mailboxes.append(WeakMailbox(mailbox: mailbox))
            }
            return mailbox
        }
    }
}

extension ProviderStatus.State {
    /// Takes an event; false if it changes nothing.
    fileprivate mutating func take(_ event: ProviderEvent) -> Bool {
        switch event {
        case .demand(let new):
            defer { (demand, isDemandKnown) = (new, true) }
            return !isDemandKnown || new != demand
        case .refused: return true
        case .disconnected(let new):
            // Attempts may fail in turn for several reasons, of which only a refusal is more than that the broker is away.
            defer { (error, isDemandKnown) = (new, false) }
            return error == nil || (new.isRefusal && new != error)
        }
    }
}

extension SensorError {
    /// Whether the broker is there, and does not let this program provide.
    var isRefusal: Bool {
        switch self {
        case .notAllowed, .nameTaken, .notPermitted: true
        default: false
        }
    }
}
