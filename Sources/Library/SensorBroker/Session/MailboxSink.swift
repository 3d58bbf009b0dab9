/// Receives the hub's messages to a listener.
protocol Sink: AnyObject, Sendable {
    /// Receives a message; never waits.
    func take(_ message: ListenerMessage)
    /// Receives the reason for the end.
    func end(_ error: SensorError)
}

/// Turns messages into events and puts them into a mailbox.
final class MailboxSink<Value: Measurable>: Sink {
    private let mailbox: Mailbox<EventBuffer<Value>>
    private let isAcceptable: @Sendable (Value) -> Bool

    init(_ mailbox: Mailbox<EventBuffer<Value>>, _ isAcceptable: @escaping @Sendable (Value) -> Bool) {
        self.mailbox = mailbox
        self.isAcceptable = isAcceptable
    }

    func take(_ message: ListenerMessage) {
        switch message {
        case .measured(let measured):
            let readings = measured.compactMap { Reading<Value>($0) }
            if readings.count < measured.count { return mailbox.finish(.wrongKind(measured[0].resource)) }
            mailbox.put(readings.filter { isAcceptable($0.value) }.map { .reading($0) })
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
