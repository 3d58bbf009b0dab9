internal import Locking

/// Tells a delegate what happens: the part of a ``SensorService`` that has one.
///
///     private let delegation = Delegation<Location>()
///     func setDelegate(
///         _ delegate: (any SensorDelegate<Location>)?, on executor: (any TaskExecutor)?, isolation: (any Actor)?
///     ) {
///         delegation.set(delegate, to: events, on: executor, isolation: isolation)
///     }
///
/// Its end is that of the delegate's subscription.
public struct Delegation<Value: Sendable>: ~Copyable, Sendable {
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Has no delegate.
    public init() {}

    deinit { task.withLock { $0?.cancel() } }

    /// Sets the delegate of some events, which is not retained, in place of any former one; nil removes that one.
    public func set(
        _ delegate: (any SensorDelegate<Value>)?, to events: SensorEvents<Value>, on executor: (any TaskExecutor)?,
        isolation: (any Actor)?
    ) {
        set(delegate, to: events, on: executor, isolation: isolation) { _ in }
    }

    /// The same; `watch` gets what has to be called now and then, so that the events end soon after the delegate is gone.
    ///
    /// It is called until it returns false.
    package func set(
        _ delegate: (any SensorDelegate<Value>)?, to events: SensorEvents<Value>, on executor: (any TaskExecutor)?,
        isolation: (any Actor)?, watch: (@escaping @Sendable () -> Bool) -> Void
    ) {
        let new = delegate.map { delegate in
            // Listens at once, so that nothing is missed until the task runs.
            let source = events.makeAsyncIterator().source
            let target = WeakDelegate(delegate)
            watch { [weak mailbox = source.mailbox] in
                guard target.delegate == nil, let mailbox else { return mailbox != nil }
                mailbox.finish()
                return false
            }
            let place = WeakActor(delegate as? any Actor ?? (executor == nil ? isolation : nil))
            return Task(executorPreference: executor) { await Self.pump(source, to: target, on: place) }
        }
        task.withLock { task in
            task?.cancel()
            task = new
        }
    }

    /// Passes events on until there are none, or nobody wants them.
    ///
    /// While it waits it holds no actor, since that may be the delegate, or own it.
    private static func pump(
        _ source: EventSource<Value>, to target: WeakDelegate<Value>, on place: WeakActor
    ) async {
        do throws(SensorError) {
            while let event = try await source.mailbox.next(isolation: nil) {
                guard await pass(event, to: target, isolation: place.actor) else { return }
            }
        } catch {
            if !Task.isCancelled { await target.delegate?.didFail(error) }
        }
    }

    /// Passes one event on; false if nobody wants it.
    ///
    /// It runs on the delegate's actor, if that is known. So nothing can remove the delegate between the check and the call.
    private static func pass(
        _ event: SensorEvent<Value>, to target: WeakDelegate<Value>, isolation: isolated (any Actor)?
    ) async -> Bool {
        guard !Task.isCancelled, let delegate = target.delegate else { return false }
        await delegate.receive(event, isolation: isolation)
        return true
    }
}

/// An actor, which nothing here keeps alive.
private final class WeakActor: Sendable {
    weak let actor: (any Actor)?

    init(_ actor: (any Actor)?) { self.actor = actor }
}

/// A delegate, which nothing here keeps alive.
private final class WeakDelegate<Value: Sendable>: Sendable {
    weak let delegate: (any SensorDelegate<Value>)?

    init(_ delegate: any SensorDelegate<Value>) { self.delegate = delegate }
}
