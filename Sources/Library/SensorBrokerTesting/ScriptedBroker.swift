internal import Locking
public import SensorServices

/// A broker whose resources and events a test decides.
///
///     let broker = ScriptedBroker([gyroscope])
///     let inspector = Inspector(broker)
///     broker.send(.disconnected(.disconnected))
public final class ScriptedBroker: BrokerService, Sendable {
    private struct State {
        var resources: Result<[SensorResource], SensorError>
        var usage = BrokerUsage()
        var releases: [Release] = []
        var listeners: [WeakMailbox] = []
    }

    /// An iteration's mailbox, which the iteration keeps alive.
    private struct WeakMailbox: Sendable {
        weak let mailbox: Mailbox<LifecycleBuffer>?
    }

    /// A call of ``release(_:evenInUse:)``.
    public struct Release: Hashable, Sendable {
        /// What was released.
        public var scope: ReleaseScope
        /// Whether subscriptions with listeners were meant, too.
        public var evenInUse: Bool

        /// Creates the record of a call.
        public init(_ scope: ReleaseScope, evenInUse: Bool) {
            self.scope = scope
            self.evenInUse = evenInUse
        }
    }

    private let state: Locked<State>

    /// Creates a broker with these resources.
    public init(_ resources: [SensorResource] = []) { state = Locked(State(resources: .success(resources))) }

    /// The resources that were set last, or the error.
    public func resources() async throws(SensorError) -> [SensorResource] { try state.withLock { $0.resources }.get() }

    /// Sets the resources, or the error, for calls from now on.
    public func setResources(_ resources: Result<[SensorResource], SensorError>) {
        state.withLock { $0.resources = resources }
    }

    /// The events of ``send(_:)``, from the start of an iteration on; it begins with the resources.
    public var lifecycle: LifecycleEvents {
        LifecycleEvents { [self] in
            let mailbox = Mailbox(LifecycleBuffer(capacity: 64))
            state.withLock { state in
                for resource in (try? state.resources.get()) ?? [] { mailbox.put(.resource(resource)) }
                state.listeners.append(WeakMailbox(mailbox: mailbox))
            }
            return LifecycleSource(mailbox)
        }
    }

    /// Sends an event to the running iterations of ``lifecycle``.
    public func send(_ event: LifecycleEvent) {
        let listeners = state.withLock { state in
            state.listeners.removeAll { $0.mailbox == nil }
            return state.listeners
        }
        for listener in listeners { listener.mailbox?.put(event) }
    }

    /// Records the call; returns the number of unused subscriptions in ``usage``, or of all of them, and takes it from there.
    @discardableResult
    public func release(_ scope: ReleaseScope, evenInUse: Bool) -> Int {
        state.withLock { state in
            state.releases.append(Release(scope, evenInUse: evenInUse))
            let count = evenInUse ? state.usage.subscriptions : state.usage.unusedSubscriptions
            state.usage.subscriptions -= count
            state.usage.unusedSubscriptions = 0
            if evenInUse { state.usage.listeners = 0 }
            return count
        }
    }

    /// The calls of ``release(_:evenInUse:)``, in order.
    public var releases: [Release] { state.withLock { $0.releases } }

    /// What is in use, as the test sets it.
    public var usage: BrokerUsage {
        get { state.withLock { $0.usage } }
        set { state.withLock { $0.usage = newValue } }
    }
}
