/// Receives the hub's messages to a listener.
protocol Sink: AnyObject, Sendable {
    /// Receives a message; never waits.
    func take(_ message: ListenerMessage)
    /// Receives the reason for the end.
    func end(_ error: SensorError)
}

/// Turns messages into events and puts them into a mailbox.
final class MailboxSink<Value: Sendable>: Sink {
    /// What becomes of a measurement.
    enum Outcome {
        case reading(Reading<Value>)
        /// The listener does not want it.
        case unwanted
        /// It is made of several, of which one is not known.
        case incomplete
        case wrongKind
    }

    private let mailbox: Mailbox<EventBuffer<Value>>
    private let outcome: @Sendable (Measured) -> Outcome

    init(_ mailbox: Mailbox<EventBuffer<Value>>, outcome: @escaping @Sendable (Measured) -> Outcome) {
        self.mailbox = mailbox
        self.outcome = outcome
    }

    /// Creates a sink for readings with acceptable values.
    convenience init(
        _ mailbox: Mailbox<EventBuffer<Value>>, _ isAcceptable: @escaping @Sendable (Value) -> Bool
    ) where Value: Measurable {
        self.init(mailbox) { measured in
            guard let reading = Reading<Value>(measured) else {
                return measured.isIncomplete(Value.self) ? .incomplete : .wrongKind
            }
            return isAcceptable(reading.value) ? .reading(reading) : .unwanted
        }
    }

    func take(_ message: ListenerMessage) {
        switch message {
        case .measured(let measured):
            var events: [SensorEvent<Value>] = []
            events.reserveCapacity(measured.count)
            for one in measured {
                switch outcome(one) {
                case .reading(let reading): events.append(.reading(reading))
                case .unwanted: break
                case .incomplete:
                    let (resource, time) = (one.resource, one.timestamp)
                    events.append(
                        .gap(Gap(resource: resource, cause: .incomplete, count: 1, from: time, until: time)))
                case .wrongKind: return mailbox.finish(.wrongKind(one.resource))
                }
            }
            mailbox.put(events)
        case .gap(let gap): mailbox.put(.gap(gap))
        case .state(let state): mailbox.put(.state(state))
        case .grant(let grant): mailbox.put(.grant(grant))
        case .disconnected(let error): mailbox.put(.disconnected(error))
        case .refused(let error): mailbox.put(.refused(error))
        }
    }

    func end(_ error: SensorError) { mailbox.finish(error) }
}

/// Ignores everything: it only keeps the newest reading up to date.
final class SilentSink: Sink {
    func take(_ message: ListenerMessage) {}
    func end(_ error: SensorError) {}
}
