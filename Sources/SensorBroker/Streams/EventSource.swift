/// What one iteration takes its events from; does what it is to do when nobody iterates any more.
package final class EventSource<Value: Sendable>: Sendable {
    let mailbox: Mailbox<EventBuffer<Value>>
    private let onEnd: @Sendable () -> Void

    package init(_ mailbox: Mailbox<EventBuffer<Value>>, onEnd: @escaping @Sendable () -> Void = {}) {
        self.mailbox = mailbox
        self.onEnd = onEnd
    }

    deinit { onEnd() }
}
