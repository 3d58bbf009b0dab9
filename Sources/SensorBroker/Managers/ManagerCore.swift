internal import Platform

/// The state shared by all copies of a manager.
///
/// Deinitialising it stops updates and the delegate.
final class ManagerCore: Sendable {
    let tuning: Tuning
    private let lease = Locked<Lease?>(nil)
    private let delegation = Locked<Task<Void, Never>?>(nil)

    init(_ broker: Broker, _ request: SensorRequest) {
        tuning = Tuning(broker.session, request)
        broker.session.attach()
    }

    deinit {
        delegation.withLock { $0?.cancel() }
        tuning.session.detach()
    }

    /// Keeps the newest reading up to date until `stopUpdates`.
    func startUpdates() {
        lease.withLock { lease in
            if let lease { lease.renew(isAsked: true) } else { lease = Lease(tuning) }
        }
    }

    /// Why the newest reading is not kept up to date; nil if it is, or if nobody asked for that.
    var updateError: SensorError? { lease.withLock { $0 }?.error }

    /// The newest reading that is not too old; a `Latest` that reads it keeps it up to date.
    func newest<Value: Measurable>() -> Reading<Value>? {
        let upkeep = Upkeep.present
        upkeep?.keep("updates", of: self) { Lease(tuning) }
        let limits = [tuning.maximumAge, upkeep?.maximumAge].compactMap { $0 }
        return tuning.session.newest(of: tuning.request.resource, maximumAge: limits.min()).flatMap { Reading($0) }
    }

    /// Stops refreshing the newest reading.
    func stopUpdates() {
        // Deinitialised after the lock is released.
        let former = lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
        withExtendedLifetime(former) {}
    }

    /// Sets the delegate, which is not retained; nil removes it.
    func delegate<Value: Sendable>(
        _ events: SensorEvents<Value>, to delegate: (any SensorDelegate<Value>)?, on executor: (any TaskExecutor)?,
        _ caller: (any Actor)?
    ) {
        let task = delegate.map { delegate in
            // Listens at once, so that nothing is missed until the task runs.
            let source = events.makeAsyncIterator().source
            let target = WeakDelegate(delegate)
            tuning.session.watch { [weak mailbox = source.mailbox] in
                guard target.delegate == nil, let mailbox else { return mailbox != nil }
                mailbox.finish()
                return false
            }
            let place = WeakActor(delegate as? any Actor ?? (executor == nil ? caller : nil))
            return Task(executorPreference: executor) { await Self.pump(source, to: target, on: place) }
        }
        delegation.withLock { delegation in
            delegation?.cancel()
            delegation = task
        }
    }

    /// Passes events on until there are none, or nobody wants them.
    ///
    /// While it waits it holds no actor, since that may be the delegate, or own it.
    private static func pump<Value: Sendable>(
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
    private static func pass<Value: Sendable>(
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
