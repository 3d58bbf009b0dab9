internal import Platform

/// What a session's thread and its users have in common: the state under a lock, and the bell that wakes the thread.
final class SessionCore: Sendable {
    let state: Locked<SessionState>
    let dialer: Dialer
    /// The errno of the bell's making; without a bell there is no session, which its users are told when they want one.
    let bellFailure: Int32
    private let bell: Bell?

    init(_ configuration: Configuration, seed: UInt64) {
        do {
            bell = try Bell()
            bellFailure = 0
        } catch {
            bell = nil
            bellFailure = error.code
        }
        dialer = Dialer(configuration)
        let hub = Hub(graceNanoseconds: max(0, configuration.grace.clampedNanoseconds), seed: seed)
        state = Locked(SessionState(hub: hub))
    }

    /// What the thread waits for.
    var bellDescriptor: Int32? { bell?.event.descriptor }

    /// Wakes the thread.
    func ring() { bell?.event.ring() }

    /// The thread heard it.
    func quiet() { bell?.event.clear() }

    static func now() -> BootTime { BootTime(nanoseconds: Clock.bootNanoseconds()) }

    /// Nothing more will come: whoever waits is told so.
    func finish(_ error: SensorError) {
        let (sinks, readers, listers, followers) = state.withLock { state in
            defer { (state.sinks, state.readers, state.listers, state.followers) = ([:], [:], [:], [:]) }
            return (state.sinks, state.readers, state.listers, state.followers)
        }
        for sink in sinks.values { sink.end(error) }
        for reader in readers.values { reader(.failure(error)) }
        for lister in listers.values { lister(.failure(error)) }
        for follower in followers.values { follower.finish() }
    }
}
