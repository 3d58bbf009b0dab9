internal import BrokerClient
internal import Varlink

/// The state that a program's managers share: listeners, connections, and what is known of the resources.
///
/// Pure: time and input are arguments, and the work to be done is left in `actions`. Listeners, connections and waiters
/// are names here; the session maps them to objects.
struct Hub {
    /// A stream that has been silent for so long is suspect; the broker sends a sign of life every 30 s.
    static let silenceNanoseconds: Int64 = 90_000_000_000
    /// How long a suspect stream then has to send something: a host that slept could not receive anything.
    static let doubtNanoseconds: Int64 = 5_000_000_000
    /// How long the broker may take to answer a call that it need not wait for.
    static let answerNanoseconds: Int64 = 15_000_000_000
    static let unanswered = SensorError.unanswered(seconds: Int(answerNanoseconds / 1_000_000_000))
    /// How long a failed request rests before it is repeated without being asked for.
    static let renewalNanoseconds: Int64 = 1_000_000_000

    /// How long a channel without listeners is kept.
    let graceNanoseconds: Int64
    /// The work to be done, in order.
    var actions: [HubAction] = []

    var listeners = Listeners()
    var channels: [ChannelID: Channel] = [:]
    var stream = Stream()
    var connections = Connections()
    var readers = Readers()
    var resources = ResourceList()
    var newest = NewestReadings()
    var link: Link
    /// When to ask again for the list of resources after a refusal.
    var watchRetry = Retry()
    /// Managers and others that keep a connection open even without listeners.
    var attached = 0
    /// When the first channel without listeners may have to be closed.
    var coldAt: BootTime?
    var silenceCheck = SilenceCheck.unknown

    /// The resources whose states somebody has read.
    private(set) var lookedAt: Set<ResourceName> = []

    private var lastID = 0

    /// Creates an empty hub; the seed decides the jitter between attempts.
    init(graceNanoseconds: Int64, seed: UInt64) {
        self.graceNanoseconds = graceNanoseconds
        link = Link(seed: seed)
    }

    /// A number that has not been used yet.
    mutating func makeID<Kind>() -> ID<Kind> {
        lastID += 1
        return ID(number: lastID)
    }

    /// Removes and returns the work to be done.
    mutating func takeActions() -> [HubAction] {
        defer { actions = [] }
        return actions
    }

    /// Counts a new manager or follower of lifecycle events.
    mutating func attach(now: BootTime) {
        attached += 1
        settle(now)
    }

    /// Removes a manager or follower from the count.
    mutating func detach(now: BootTime) {
        assert(attached > 0, "only what is attached can be detached")
        attached -= 1
        settle(now)
    }

    /// Somebody reads the state of a resource: from now on it is kept up to date, also while nothing of it is streamed.
    mutating func lookAt(_ resource: ResourceName, now: BootTime) {
        if lookedAt.insert(resource).inserted { settle(now) }
    }

    /// The newest reading of a resource, unless it is older than this.
    func newest(_ resource: ResourceName, maximumAge: Int64?, now: BootTime) -> Measured? {
        guard let measured = newest[resource] else { return nil }
        return now - measured.timestamp <= maximumAge ?? .max ? measured : nil
    }

    /// When something is due if nothing happens before.
    var deadline: BootTime? {
        mutating get {
            var earliest = BootTime.earlier(BootTime.earlier(link.retryAt, watchRetry.at), silenceDeadline)
            earliest = BootTime.earlier(BootTime.earlier(earliest, coldAt), stream.retryAt)
            earliest = BootTime.earlier(BootTime.earlier(earliest, connections.deadline), readers.deadline)
            guard stream.connection != nil else { return earliest }
            return BootTime.earlier(earliest, stream.doubtedUntil ?? stream.lastReceived + Self.silenceNanoseconds)
        }
    }

    /// Does what is due; what should have come counts as missing only if everything that came until `heardUntil` has been
    /// read, and that was too late for it.
    mutating func expire(now: BootTime, heardUntil: BootTime) {
        let isCold = coldAt.map { now >= $0 } ?? false
        noteSilence(heardUntil)
        doubtStream(heardUntil)
        for connection in connections.overdue(heardUntil) { breakOff(connection, Self.unanswered, now: now) }
        expireReaders(now, heardUntil: heardUntil)
        let mayRetry = takeRetries(now)
        if mayRetry || isCold { settle(now) }
    }

    /// Opens, changes and closes connections until they carry what is requested.
    mutating func settle(_ now: BootTime) {
        settleChannels(now)
        settleStream(now)
        settleWatch(now)
    }

    /// True when an attempt is due.
    private mutating func takeRetries(_ now: BootTime) -> Bool {
        var isDue = link.takeRetry(now: now)
        if watchRetry.take(now: now) { isDue = true }
        if stream.takeRetries(now: now) { isDue = true }
        return isDue
    }

    /// Gives up the stream if it has been silent for too long, unless it sends something in the time of doubt.
    private mutating func doubtStream(_ now: BootTime) {
        guard let connection = stream.connection else { return }
        guard let until = stream.doubtedUntil else {
            if now - stream.lastReceived >= Self.silenceNanoseconds {
                stream.doubtedUntil = now + Self.doubtNanoseconds
            }
            return
        }
        if now >= until { breakOff(connection, .disconnected, now: now) }
    }

    /// Closes a connection that is of no use.
    mutating func breakOff(_ connection: ConnectionID, _ error: SensorError, now: BootTime) {
        actions.append(.close(connection))
        lost(connection, error, now: now)
    }

    /// Opens a connection for a call; by an instant, a healthy broker answers.
    mutating func open(_ purpose: Purpose, _ call: Call, answerBy: BootTime? = nil) -> ConnectionID {
        let id: ConnectionID = makeID()
        connections.add(id, for: purpose, answerBy: answerBy)
        actions.append(.open(id, call))
        return id
    }

    /// Closes a connection that is no longer wanted.
    mutating func close(_ connection: ConnectionID) {
        guard connections.remove(connection) != nil else { return }
        actions.append(.close(connection))
    }

    /// Watches the list of resources if a program has managers but no stream that reports the states that it wants to know.
    ///
    /// A reading must not outlive its device. The watch also keeps the connection of a program whose managers have no
    /// listeners, and tells when there is a resource that listeners wait for.
    private mutating func settleWatch(_ now: BootTime) {
        let watch = connections.first { $0 == .watch }
        let watched = Set(stream.channels.keys.map(\.resource))
        let isWanted =
            newest.resources.contains { !watched.contains($0) }
            || attached > 0 && (watched.isEmpty || !lookedAt.isSubset(of: watched)) || !stream.awaited.isEmpty
        if !isWanted, let watch { close(watch) }
        if isWanted, watch == nil, link.retryAt == nil, watchRetry.at == nil {
            _ = open(.watch, Call(Interface.listResources, mode: .more))
        }
    }
}
