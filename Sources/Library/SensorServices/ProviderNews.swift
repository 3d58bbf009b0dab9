internal import Locking

/// What the broker has told a provider: what is wanted, what was refused, and how it stands.
package final class ProviderNews: Sendable {
    fileprivate struct State {
        var demand = SensorDemand.nobody
        /// Whether the demand was told since the last interruption.
        var isTold = false
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

    /// Takes in that samples are taken from now on.
    package func tellProvided() { state.withLock { state in if !state.isFinished { state.error = nil } } }

    /// Takes in an event; iterations get it if it is news.
    package func tell(_ event: ProviderEvent) {
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
                if state.isTold || state.demand != .nobody { mailbox.put(.demand(state.demand)) }
                state.mailboxes.append(WeakMailbox(mailbox: mailbox))
            }
            return mailbox
        }
    }
}

extension ProviderNews.State {
    /// Takes in an event; false if that was known.
    fileprivate mutating func take(_ event: ProviderEvent) -> Bool {
        switch event {
        case .demand(let new):
            defer { (demand, isTold) = (new, true) }
            return !isTold || new != demand
        case .refused: return true
        case .disconnected(let new):
            // Attempts may fail in turn for several reasons, of which only a refusal is more than that the broker is away.
            defer { (error, isTold) = (new, false) }
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
