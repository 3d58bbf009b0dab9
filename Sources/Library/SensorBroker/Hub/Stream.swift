/// The streaming call: one connection, and one subscription, for all channels of a program.
struct Stream {
    /// The channels it should carry.
    var channels: [Tag: ChannelID] = [:]
    /// Its connection, if it has one.
    var connection: ConnectionID?
    /// Its name at the broker, known since the first reply.
    var subscription: String?
    /// The requests it carries, as last sent to the broker.
    var carried: [Tag: SensorRequest] = [:]
    /// The channels that it may carry otherwise than it should.
    var unsettled: Set<Tag> = []
    /// The connection of a pending change.
    var change: ConnectionID?
    /// The most requests of the next call: after a refusal of many, the one that is the cause has to be found.
    var portion = Int.max
    /// Resources whose further requests the broker refuses for now.
    var held: [ResourceName: Retry] = [:]
    /// Resources that the broker does not have, and that some listener waits for.
    private(set) var awaited: Set<ResourceName> = []
    /// When it last received anything.
    var lastReceived = BootTime(nanoseconds: 0)
    /// Deadline for a sign of life, if it is suspect.
    var doubtedUntil: BootTime?
    /// When to repeat a refused call.
    var retry = Retry()

    /// Clears everything that depends on the connection.
    mutating func reset() {
        connection = nil
        subscription = nil
        carried = [:]
        unsettled = Set(channels.keys)
        change = nil
        doubtedUntil = nil
    }

    /// Whether further requests for a resource have to wait.
    func holds(_ resource: ResourceName) -> Bool { awaited.contains(resource) || held[resource]?.at != nil }

    /// Has the requests for a resource wait until the broker has it.
    mutating func await(_ resource: ResourceName) {
        assert(channels.keys.contains { $0.resource == resource }, "somebody waits for it")
        awaited.insert(resource)
    }

    /// Requests those of some resources that were waited for; others are left as they are.
    mutating func resume(_ resources: some Sequence<ResourceName>) {
        for resource in resources where awaited.remove(resource) != nil {
            unsettled.formUnion(channels.keys.filter { $0.resource == resource })
        }
    }

    /// When to repeat requests that were refused.
    var retryAt: BootTime? { held.values.reduce(retry.at) { BootTime.earlier($0, $1.at) } }

    /// True when it is time to repeat something.
    mutating func takeRetries(now: BootTime) -> Bool {
        var isDue = retry.take(now: now)
        for resource in held.keys where held[resource]?.take(now: now) == true {
            isDue = true
            unsettled.formUnion(channels.keys.filter { $0.resource == resource })
        }
        return isDue
    }
}
