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

/// What the broker calls a request of the subscription.
struct Tag: Hashable {
    let resource: ResourceName
    /// Only a further request for a resource needs one.
    let label: String?

    /// Its name for changes.
    var name: String { label ?? resource.description }

    /// The label of the request for what is aligned to it.
    func label(ofCompanion place: Int) -> String { "\(name).\(place)" }

    /// The label that a label of what is aligned belongs to; nil if it is none.
    static func lead(of label: String) -> String? {
        label.lastIndex(of: ".").map { String(label[..<$0]) }
    }
}

/// One distinct request and its listeners: a subscription, as the program sees it.
struct Channel {
    /// The request.
    var request: SensorRequest
    /// What the broker calls it.
    let tag: Tag
    /// Its listeners.
    var listeners: Set<ListenerID> = []
    /// What the listener that left last had asked for.
    var lastAsked: SensorRequest?
    /// The grant.
    var grant: Grant?
    /// Until when the listeners know what there was: the time of the newest reading, or the end of a later gap; nil if there was no
    /// reading.
    var covered: BootTime?
    /// True since the broker went away, until the next reading.
    var isInterrupted = false
    /// Why it is not granted, as far as that is known; its listeners know it.
    var fault: SensorError?
    /// For how long there has been no reading.
    var silence: Silence
    /// When an unused channel is closed; nil while it has listeners.
    var warmUntil: BootTime?

    init(request: SensorRequest, tag: Tag, since: BootTime) {
        self.request = request
        self.tag = tag
        silence = Silence(since: since)
    }

    /// Whether each sample of the device is a reading, so that the readings of a message without a gap have successive numbers.
    var isOfEachSample: Bool {
        grant?.interval == .zero && request.filter != .mean && (request.minimumChange ?? 0) == 0
    }

    /// True without listeners: the channel is kept for reuse.
    var isWarm: Bool { listeners.isEmpty }

    /// Whether a reading is recent enough for a new listener: not older than the interval, as in the broker itself.
    func isFresh(_ timestamp: BootTime, now: BootTime) -> Bool {
        now - timestamp <= (grant?.interval ?? request.interval ?? .zero).clampedNanoseconds
    }
}

/// A call that changes the stream: requests that it adds or replaces, and others that it removes.
struct Change: Equatable {
    var requests: [Tag: SensorRequest] = [:]
    var removed: Set<Tag> = []

    var isEmpty: Bool { requests.isEmpty && removed.isEmpty }
}

/// The purpose of a connection: each carries one call.
enum Purpose: Equatable {
    /// The stream.
    case stream
    /// A change of the stream.
    case change(Change)
    /// One reading of a resource.
    case read(ResourceName)
    /// The list of resources, for a waiter.
    case list(ListerID)
    /// The list of resources, again after each change.
    case watch
}
