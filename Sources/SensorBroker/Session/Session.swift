internal import Platform
internal import Synchronization

/// One program's way to one broker: everything that managers share.
///
/// It ends when nobody holds it any more. Methods may be called from anywhere, and never wait; what they ask for is done by the session's thread, which is
/// started when there is something for it to do.
final class Session: Sendable {
    let core: SessionCore

    init(_ configuration: Configuration) {
        core = SessionCore(configuration, seed: .random(in: .min ... .max))
    }

    deinit {
        core.state.withLock { $0.isEnding = true }
        core.ring()
    }

    /// A manager was made, or somebody follows the connection's life.
    func attach() { change { $0.hub.attach(now: SessionCore.now()) } }

    /// It is gone.
    func detach() { change { $0.hub.detach(now: SessionCore.now()) } }

    /// Tells a sink what comes of a request, until `leave` with the number that this returns.
    func listen(to request: SensorRequest, _ sink: any Sink) -> Int {
        change { state in
            let id = state.hub.makeID()
            state.sinks[id] = sink
            state.hub.listen(id, to: request, now: SessionCore.now())
            return id
        }
    }

    /// A sink is told nothing more.
    func leave(_ listener: Int) {
        // Released after the lock is: its end may be somebody's code.
        let sink = change { state in
            state.hub.leave(listener, now: SessionCore.now())
            return state.sinks.removeValue(forKey: listener)
        }
        withExtendedLifetime(sink) {}
    }

    /// The listeners of one manager want something else from now on.
    func change(_ listeners: Set<Int>, to request: SensorRequest) {
        change { $0.hub.change(listeners, to: request, now: SessionCore.now()) }
    }

    /// Gives up subscriptions; returns how many.
    func release(_ scope: ReleaseScope, evenInUse: Bool) -> Int {
        change { $0.hub.release(scope, evenInUse: evenInUse, now: SessionCore.now()) }
    }

    /// The newest reading of a resource, while it may be believed.
    func newest(of resource: ResourceName) -> Measured? { core.state.withLock { $0.hub.newest[resource] } }

    /// How a resource is doing, as far as was heard.
    func state(of resource: ResourceName) -> ResourceState? {
        core.state.withLock { $0.hub.resources[resource]?.state }
    }

    /// How much is in use.
    func usage() -> Usage {
        core.state.withLock { state in
            Usage(
                connections: state.hub.connections.count, subscriptions: state.hub.channels.count,
                unusedSubscriptions: state.hub.channels.values.count { $0.isWarm },
                managers: state.hub.attached, listeners: state.hub.listeners.count)
        }
    }

    /// One reading; always answered.
    func read(
        _ resource: ResourceName, maximumAge: Duration, timeout: Duration, accuracyMeters: Double? = nil
    ) async throws(SensorError) -> Measured {
        let id = core.state.withLock { $0.hub.makeID() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    state.readers[id] = { continuation.resume(returning: $0) }
                    state.hub.read(
                        id, resource, maximumAge: maximumAge.clampedNanoseconds, timeout: timeout.clampedNanoseconds,
                        accuracyMeters: accuracyMeters, now: SessionCore.now())
                }
                // Cancelled before there was anything to cancel.
                if Task.isCancelled { cancelRead(id) }
            }
        } onCancel: {
            cancelRead(id)
        }
        return try result.get()
    }

    /// The resources of the broker; always answered.
    func resources() async throws(SensorError) -> [Resource] {
        let id = core.state.withLock { $0.hub.makeID() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                change { state in
                    state.listers[id] = { continuation.resume(returning: $0) }
                    state.hub.list(id, now: SessionCore.now())
                }
                // Cancelled before there was anything to cancel.
                if Task.isCancelled { cancelList(id) }
            }
        } onCancel: {
            cancelList(id)
        }
        return try result.get()
    }

    /// Puts what happens to the connection into a mailbox, until `unfollow` with the number that this returns.
    func follow(_ mailbox: Mailbox<LifecycleBuffer>) -> Int {
        change { state in
            let id = state.hub.makeID()
            if state.hub.link.isUp { mailbox.put(.connected) }
            for resource in state.hub.resources.values { mailbox.put(.resource(resource)) }
            state.followers[id] = mailbox
            state.hub.attach(now: SessionCore.now())
            return id
        }
    }

    /// The mailbox gets nothing more.
    func unfollow(_ id: Int) {
        change { state in
            guard state.followers.removeValue(forKey: id) != nil else { return }
            state.hub.detach(now: SessionCore.now())
        }
    }

    private func cancelRead(_ id: Int) { change { $0.hub.cancelRead(id, now: SessionCore.now()) } }

    private func cancelList(_ id: Int) { change { $0.hub.cancelList(id) } }

    /// Changes the state and sees to it that the thread looks at it.
    private func change<Value>(_ body: (inout SessionState) -> sending Value) -> sending Value {
        let (value, isRunning) = core.state.withLock { state in
            let value = body(&state)
            if !state.isRunning { state.isRunning = start() }
            return (value, state.isRunning)
        }
        if isRunning { core.ring() } else { core.finish(.system("a thread for the connection to the broker")) }
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
