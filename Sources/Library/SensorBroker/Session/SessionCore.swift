internal import Glibc
internal import Platform

/// What a session's thread and its users share: the state under a lock, and the event that wakes the thread.
final class SessionCore: Sendable {
    let state: Locked<SessionState>
    let dialer: Dialer
    /// How old newest readings may be by default.
    let maximumAge: Duration?
    /// What wakes the thread; nil before there is one, since a broker that nobody uses needs no descriptor.
    private let wake = Locked<SharedWakeEvent?>(nil)

    /// The process that the session's thread runs in.
    private let process: pid_t

    init(_ configuration: Broker.Configuration, seed: UInt64, process: pid_t) {
        self.process = process
        dialer = Dialer(configuration)
        maximumAge = configuration.maximumAge
        let hub = Hub(graceNanoseconds: max(0, configuration.grace.clampedNanoseconds), seed: seed)
        state = Locked(SessionState(hub: hub))
    }

    /// Whether this is a fork of the session's process: it has no thread, and a lock may be held by nobody.
    var isForked: Bool { getpid() != process }

    /// Makes what wakes the thread, which begins with the state as it is then; returns the descriptor to wait for.
    func makeWakeEvent() throws(SystemError) -> Int32 {
        try wake.withLock { (wake) throws(SystemError) in
            if let wake { return wake.descriptor }
            let event = try SharedWakeEvent()
            wake = event
            return event.descriptor
        }
    }

    /// Wakes the thread, if there is one.
    func signal() { wake.withLock { $0 }?.signal() }

    /// Clears the wake event.
    func clearWakeEvent() { wake.withLock { $0 }?.clear() }

    /// Whether it has a descriptor.
    var hasWakeEvent: Bool { wake.withLock { $0 } != nil }

    static func now() -> BootTime { BootTime(nanoseconds: Clock.bootNanoseconds()) }

    /// Ends everything: all waiters get the error.
    func finish(_ error: SensorError) {
        let (sinks, readers, listers, followers, feeds) = state.withLock { state in
            defer {
                (state.sinks, state.readers, state.listers, state.followers) = ([:], [:], [:], [:])
                state.feeds = [:]
            }
            return (state.sinks, state.readers, state.listers, state.followers, state.feeds)
        }
        for sink in sinks.values { sink.end(error) }
        for reader in readers.values { reader(.failure(error)) }
        for lister in listers.values { lister(.failure(error)) }
        for follower in followers.values { follower.finish() }
        for feed in feeds.values { feed.status.finish(error) }
    }
}

/// The state that a session's callers and its thread share under one lock.
struct SessionState {
    /// A waiter for one answer.
    typealias Waiter<Value> = @Sendable (Result<Value, SensorError>) -> Void

    var hub: Hub
    var observers = Observers()
    var sinks: [ListenerID: any Sink] = [:]
    var readers: [ReaderID: Waiter<Measured>] = [:]
    var listers: [ListerID: Waiter<[Resource]>] = [:]
    var followers: [FollowerID: Mailbox<LifecycleBuffer>] = [:]
    /// What the program provides.
    var feeds: [FeedID: Feed] = [:]
    /// What is checked once a second, until one returns false.
    var checks: [CheckID: @Sendable () -> Bool] = [:]
    /// Whether the thread was started.
    var isRunning = false
    /// Nothing needs the session any more.
    var isEnding = false
}
