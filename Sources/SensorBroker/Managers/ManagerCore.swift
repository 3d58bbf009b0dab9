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
        _ events: SensorEvents<Value>, to delegate: (any SensorDelegate<Value>)?, on executor: (any TaskExecutor)?
    ) {
        let task = delegate.map { Self.pump(events, to: $0, on: executor) }
        delegation.withLock { delegation in
            delegation?.cancel()
            delegation = task
        }
    }

    /// Starts to listen at once, so that nothing is missed until the task runs.
    private static func pump<Value: Sendable>(
        _ events: SensorEvents<Value>, to delegate: any SensorDelegate<Value>, on executor: (any TaskExecutor)?
    ) -> Task<Void, Never> {
        let source = events.makeAsyncIterator().source
        return Task(executorPreference: executor) { [weak delegate] in
            do throws(SensorError) {
                while let event = try await source.mailbox.next() {
                    guard let delegate else { return }
                    await delegate.receive(event)
                }
            } catch {
                await delegate?.didFail(error)
            }
        }
    }
}
