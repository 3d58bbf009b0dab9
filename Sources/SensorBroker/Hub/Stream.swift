/// A streaming call: one connection that carries at most one channel of each resource.
///
/// A subscription names a resource once. All distinct requests of a program therefore share one connection, except that
/// a further request for the same resource needs a further stream.
struct Stream {
    /// The channels it should carry, by resource.
    var channels: [ResourceName: Int] = [:]
    /// Its connection, if it has one.
    var connection: Int?
    /// Its name at the broker, known since the first reply.
    var subscription: String?
    /// The requests it carries, as last sent to the broker.
    var carried: [ResourceName: SensorRequest] = [:]
    /// The connection of a pending change.
    var change: Int?
    /// When it last received anything.
    var lastReceived: BootTime
    /// Deadline for a sign of life from a suspect stream.
    var doubtedUntil: BootTime?
    /// When to repeat a refused request.
    var retry = Retry()

    /// Clears everything that depends on the connection.
    mutating func reset() {
        connection = nil
        subscription = nil
        carried = [:]
        change = nil
        doubtedUntil = nil
    }
}

/// One distinct request and its listeners: a subscription, as the program sees it.
struct Channel {
    /// The request.
    var request: SensorRequest
    /// The stream that carries it.
    let stream: Int
    /// Its listeners.
    var listeners: Set<Int> = []
    /// The grant.
    var grant: Grant?
    /// When the newest reading was measured, or when the channel began if there was none.
    var covered: BootTime
    /// True since the broker went away.
    var isInterrupted = false
    /// For how long there has been no reading.
    var silence: Silence
    /// When an unused channel is closed; nil while it has listeners.
    var warmUntil: BootTime?

    init(request: SensorRequest, stream: Int, since: BootTime) {
        self.request = request
        self.stream = stream
        covered = since
        silence = Silence(since: since)
    }

    /// True without listeners: the channel is kept for reuse.
    var isWarm: Bool { listeners.isEmpty }

    /// Whether a reading is recent enough for a new listener: not older than the interval, as in the broker itself.
    func isFresh(_ timestamp: BootTime, now: BootTime) -> Bool {
        now - timestamp <= (grant?.interval ?? request.interval ?? .zero).clampedNanoseconds
    }
}

/// The purpose of a connection: each carries one call.
enum Purpose: Equatable {
    /// A stream, by its number.
    case stream(Int)
    /// A change of a stream to these requests.
    case change(Int, [ResourceName: SensorRequest])
    /// One reading of a resource.
    case read(ResourceName)
    /// The list of resources, for a waiter.
    case list(Int)
    /// The list of resources, again after each change.
    case watch
}
