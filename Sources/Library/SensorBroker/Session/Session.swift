internal import Glibc
internal import Platform
internal import Synchronization

/// One program's session with one broker, shared by all managers.
///
/// A session ends when nothing holds it. The methods may be called from any thread and never wait. The session's thread
/// does the work; it is started when there is some.
final class Session: Sendable {
    let core: SessionCore

    /// Creates a session of a process; it can be used in no other.
    init(_ configuration: Broker.Configuration, process: pid_t = getpid()) {
        core = SessionCore(configuration, seed: .random(in: .min ... .max), process: process)
    }

    deinit {
        if look({ $0.isEnding = true }) != nil { core.signal() }
    }

    /// Counts a new manager or follower of lifecycle events.
    func attach() { change { $0.hub.attach(now: SessionCore.now()) } }

    /// Removes a manager or follower from the count.
    func detach() { change { $0.hub.detach(now: SessionCore.now()) } }

    /// Adds a sink for a request; returns its name for `leave`; nil in a fork.
    ///
    /// What was asked is the program's name for the request, if the broker gets another one.
    func listen(
        to request: SensorRequest, asked: SensorRequest? = nil, _ sink: any Sink, isLasting: Bool = false
    ) -> ListenerID? {
        let id: ListenerID? = change { state in
            let id: ListenerID = state.hub.makeID()
            state.sinks[id] = sink
            state.hub.listen(id, to: request, asked: asked, isLasting: isLasting, now: SessionCore.now())
            return id
        }
        if id == nil { sink.end(.forked) }
        return id
    }

    /// Has a lasting listener listen again, if it has stopped.
    func renew(_ listener: ListenerID, isAsked: Bool) {
        guard look({ $0.hub.audience.listeners.stopped(listener) != nil }) == true else { return }
        change { $0.hub.renew(listener, isAsked: isAsked, now: SessionCore.now()) }
    }

    /// Why a listener gets nothing; nil if it does, or is about to.
    func failure(of listener: ListenerID) -> SensorError? {
        guard let error = look({ $0.hub.failure(of: listener) }) else { return .forked }
        return error
    }

    /// Sends a message to listeners, in order with what the broker sends.
    func send(_ message: ListenerMessage, to listeners: Set<ListenerID>) {
        guard !listeners.isEmpty else { return }
        change { $0.hub.send(message, to: listeners) }
    }

    /// Removes a sink.
    func leave(_ listener: ListenerID) {
        // Deinitialised after the lock is released, since that may run user code.
        let sink = change { state in
            state.hub.leave(listener, now: SessionCore.now())
            return state.sinks.removeValue(forKey: listener)
        }
        withExtendedLifetime(sink) {}
    }

    /// Changes the request of one manager's listeners.
    func change(_ listeners: Set<ListenerID>, to request: SensorRequest, asked: SensorRequest) {
        change { $0.hub.change(listeners, to: request, asked: asked, now: SessionCore.now()) }
    }

    /// Ends subscriptions and returns their number.
    func release(_ scope: ReleaseScope, evenInUse: Bool) -> Int {
        change { $0.hub.release(scope, evenInUse: evenInUse, now: SessionCore.now()) } ?? 0
    }

    /// The newest valid reading for a request, unless it is older than this; nil: than the configuration allows.
    func newest(for request: SensorRequest, maximumAge: Duration? = nil) -> Measured? {
        let limit = (maximumAge ?? core.maximumAge)?.clampedNanoseconds
        return look {
            $0.hub.newest(request.resource, with: request.companions, maximumAge: limit, now: SessionCore.now())
        } ?? nil
    }

    /// The state of a resource, as far as it is known here.
    func state(of resource: ResourceName) -> ResourceState? {
        if look({ $0.hub.watch.lookedAt.contains(resource) }) == false {
            change { $0.hub.lookAt(resource, now: SessionCore.now()) }
        }
        guard let state = look({ $0.hub.state(of: resource) }) else { return .stale(reason: "\(SensorError.forked)") }
        return state
    }

    /// What stands for a resource to those who observe its reading or its state.
    func observed(_ resource: ResourceName) -> Observed {
        look { $0.observers.observed(resource, in: $0.hub) } ?? Observed()
    }

    /// What is in use.
    func usage() -> BrokerUsage {
        look { state in
            let (hub, channels) = (state.hub, state.hub.audience.channels)
            return BrokerUsage(
                connections: hub.broker.connections.count, subscriptions: channels.count,
                unusedSubscriptions: channels.warm.count, managers: hub.watch.attached,
                listeners: hub.audience.listeners.listeningCount)
        } ?? BrokerUsage(connections: 0, subscriptions: 0, unusedSubscriptions: 0, managers: 0, listeners: 0)
    }

    /// Reads once; always returns or throws.
    func read(
        _ resource: ResourceName, maximumAge: Duration, timeout: Duration, accuracyMeters: Double? = nil
    ) async throws(SensorError) -> Measured {
        guard let id: ReaderID = look({ $0.hub.makeID() }) else { throw .forked }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    state.readers[id] = { continuation.resume(returning: $0) }
                    state.hub.read(
                        id, resource, maximumAge: maximumAge.clampedNanoseconds, timeout: timeout.clampedNanoseconds,
                        accuracyMeters: accuracyMeters, now: SessionCore.now())
                }
                // Cancelled before the request was registered.
                if Task.isCancelled { cancelRead(id) }
            }
        } onCancel: {
            cancelRead(id)
        }
        return try result.get()
    }

    /// The resources of the broker; always returns or throws.
    func resources() async throws(SensorError) -> [Resource] {
        guard let id: ListerID = look({ $0.hub.makeID() }) else { throw .forked }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    state.listers[id] = { continuation.resume(returning: $0) }
                    state.hub.list(id, now: SessionCore.now())
                }
                // Cancelled before the request was registered.
                if Task.isCancelled { cancelList(id) }
            }
        } onCancel: {
            cancelList(id)
        }
        return try result.get()
    }

    /// Sends lifecycle events to a mailbox; returns a name for `unfollow`; nil in a fork.
    func follow(_ mailbox: Mailbox<LifecycleBuffer>) -> FollowerID? {
        let id: FollowerID? = change { state in
            let id: FollowerID = state.hub.makeID()
            if state.hub.broker.link.isUp { mailbox.put(.connected) }
            if let error = state.hub.broker.link.error { mailbox.put(.disconnected(error)) }
            for resource in state.hub.broker.resources.all { mailbox.put(.resource(resource)) }
            state.followers[id] = mailbox
            state.hub.attach(now: SessionCore.now())
            return id
        }
        if id == nil {
            mailbox.put(.disconnected(.forked))
            mailbox.finish()
        }
        return id
    }

    /// Stops sending to the mailbox.
    func unfollow(_ id: FollowerID) {
        change { state in
            guard state.followers.removeValue(forKey: id) != nil else { return }
            state.hub.detach(now: SessionCore.now())
        }
    }

    /// Calls this once a second, until it returns false.
    func watch(_ check: @escaping @Sendable () -> Bool) {
        change { state in state.checks[state.hub.makeID()] = check }
    }

    /// Provides a feed; returns a name for `withdraw`; nil in a fork.
    func provide(_ feed: Feed) -> FeedID? {
        change { state in
            let id: FeedID = state.hub.makeID()
            state.feeds[id] = feed
            return id
        }
    }

    /// Ends a feed.
    func withdraw(_ id: FeedID) { change { $0.feeds[id] = nil } }

    private func cancelRead(_ id: ReaderID) { change { $0.hub.cancelRead(id, now: SessionCore.now()) } }

    private func cancelList(_ id: ListerID) { change { $0.hub.cancelList(id) } }

    /// Uses the state; nil in a fork, where there is no thread and the lock may be held by nobody.
    private func look<Value>(_ body: (inout SessionState) -> sending Value) -> sending Value? {
        core.isForked ? nil : core.state.withLock(body)
    }

    /// Changes the state and wakes the thread; nil in a fork.
    @discardableResult
    private func change<Value>(_ body: (inout SessionState) -> sending Value) -> sending Value? {
        if core.isForked { return nil }
        let (value, isRunning) = core.state.withLock { state in
            let value = body(&state)
            if !state.isRunning { state.isRunning = start() }
            return (value, state.isRunning)
        }
        if isRunning { core.signal() } else { core.finish(.system("a thread for the connection to the broker")) }
        return value
    }

    private func start() -> Bool {
        let core = core
        do {
            try Thread.start(name: "sensorbroker") {
                do throws(SystemError) {
                    var thread = try SessionThread(core)
                    thread.run()
                    core.finish(.cancelled)
                } catch {
                    core.state.withLock { $0.isRunning = false }
                    core.finish(.system("\(error)"))
                }
            }
            return true
        } catch { return false }
    }
}
