internal import Locking

/// Informs a delegate of what happens: the part of a ``SensorService`` that has one.
///
///     private let delegation = Delegation<Location>()
///     func setDelegate(reference: DelegateReference<Location>?) { delegation.set(reference, to: events) }
///
/// The end of this object is that of the delegate's subscription.
public struct Delegation<Value: Sendable>: ~Copyable, Sendable {
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Has no delegate.
    public init() {}

    deinit { task.withLock { $0?.cancel() } }

    /// Sets the delegate of some events, in place of any former one; nil removes that one.
    public func set(_ reference: DelegateReference<Value>?, to events: SensorEvents<Value>) {
        set(reference, to: events) { _ in }
    }

    /// The same; `watch` gets what has to be called now and then, so that the events end soon after the delegate is gone.
    ///
    /// The check is called until it returns false.
    package func set(
        _ reference: DelegateReference<Value>?, to events: SensorEvents<Value>,
        watch: (@escaping @Sendable () -> Bool) -> Void
    ) {
        let new = reference.map { reference in
            // Listens at once, so that nothing is missed until the task runs.
            let source = events.makeAsyncIterator().source
            watch { [weak mailbox = source.mailbox, target = reference.target] in
                guard target.isGone, let mailbox else { return mailbox != nil }
                mailbox.finish()
                return false
            }
            return Task(executorPreference: reference.executor) { await Self.pump(source, to: reference) }
        }
        task.withLock { task in
            task?.cancel()
            task = new
        }
    }

    /// Passes events on until there are none, or nobody wants them.
    ///
    /// While it waits it holds no actor, since that may be the delegate, or own it. Each event is passed on the delegate's actor, if that is
    /// known, so nothing can remove the delegate between the check and the call.
    private static func pump(_ source: EventSource<Value>, to reference: DelegateReference<Value>) async {
        do throws(SensorError) {
            while let event = try await source.mailbox.next(isolation: nil) {
                guard await reference.target.receive(event, isolation: reference.isolation.actor) else { return }
            }
        } catch {
            if !Task.isCancelled { await reference.target.fail(error) }
        }
    }
}
