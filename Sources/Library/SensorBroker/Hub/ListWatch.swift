internal import BrokerClient
internal import Varlink

/// The list of resources, which is watched while a program wants to know of states that no stream reports.
///
/// A reading must not outlive its device. The watch also keeps the connection of a program whose managers have no
/// listeners, and reports when there is a resource that listeners wait for.
struct ListWatch {
    /// Managers and others that keep a connection open even without listeners.
    private(set) var attached = 0
    /// The resources whose states somebody has read.
    private(set) var lookedAt: Set<ResourceName> = []
    /// When to ask again after a refusal.
    private var retry = Retry()

    /// When to ask again; nil: not because of a refusal.
    var deadline: BootTime? { retry.at }

    mutating func attach() { attached += 1 }

    mutating func detach() {
        assert(attached > 0, "only what is attached can be detached")
        attached -= 1
    }

    /// Somebody reads the state of a resource; false if that is nothing new.
    mutating func lookAt(_ resource: ResourceName) -> Bool { lookedAt.insert(resource).inserted }

    /// True once when the time to ask again has come.
    mutating func takeRetry(now: BootTime) -> Bool { retry.take(now: now) }

    /// The broker has sent the list.
    mutating func didAnswer() { retry.reset() }

    /// The list was refused, or is unintelligible.
    mutating func hold(_ error: SensorError, _ broker: inout KnownBroker, _ now: BootTime) {
        let wait = broker.hold(&retry, now: now)
        if retry.failures == 1 { broker.actions.announce(.disconnected(error)) }
        broker.actions.announce(.reconnecting(after: .nanoseconds(wait), attempt: retry.failures))
    }

    /// Opens or closes the watch.
    func settle(_ channels: Channels, _ broker: inout KnownBroker) {
        let watch = broker.connections.first { $0 == .watch }
        let isWanted =
            broker.newest.resources.contains { !channels.has($0) }
            || attached > 0 && (channels.isEmpty || !lookedAt.allSatisfy(channels.has)) || !channels.awaited.isEmpty
        if !isWanted, let watch { broker.close(watch) }
        if isWanted, watch == nil, broker.link.retryAt == nil, retry.at == nil {
            _ = broker.open(.watch, Call(Interface.listResources, mode: .more))
        }
    }
}
