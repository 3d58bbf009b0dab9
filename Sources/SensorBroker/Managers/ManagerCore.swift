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
        let new = Lease(tuning)
        lease.withLock { if $0 == nil { $0 = new } }
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
