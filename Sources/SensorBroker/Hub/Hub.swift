internal import BrokerClient
internal import Varlink

/// All that a program's managers share: who listens to what, which connections carry it, what is known.
///
/// Pure: time and input are arguments, and what is to be done is left in `actions`. Listeners, connections and those who
/// wait are numbers here; the session knows who they are.
struct Hub {
    /// Without a sign of life for so long, a stream is broken; the broker gives one each 30 s.
    static let silenceNanoseconds: Int64 = 90_000_000_000
    /// How long a silent stream is then given to speak: a host that slept has not listened meanwhile.
    static let doubtNanoseconds: Int64 = 5_000_000_000
    /// How long the broker may take to answer what needs no waiting.
    static let answerNanoseconds: Int64 = 15_000_000_000

    /// How long a channel without listeners is kept.
    let graceNanoseconds: Int64
    /// What is to be done, in order.
    var actions: [HubAction] = []

    /// Listeners, and the channels that they listen to.
    var listeners: [Int: Int] = [:]
    var channels: [Int: Channel] = [:]
    var streams: [Int: Stream] = [:]
    var connections: [Int: Purpose] = [:]
    /// By when calls must be answered that are answered at once by a broker that is well.
    var answerBy: [Int: BootTime] = [:]
    var readers: [Int: Reader] = [:]
    var resources: [ResourceName: Resource] = [:]
    var newest = NewestReadings()
    var link: Link
    /// When to ask again for the list that was refused.
    var watchRetry = Retry()
    /// Managers and others for whose sake a connection is kept, even if nobody listens.
    var attached = 0

    private var lastID = 0

    /// A hub that knows nobody; the seed decides how long it waits between tries.
    init(graceNanoseconds: Int64, seed: UInt64) {
        self.graceNanoseconds = graceNanoseconds
        link = Link(seed: seed)
    }

    /// A number that nothing else has.
    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    /// Hands over what is to be done.
    mutating func takeActions() -> [HubAction] {
        defer { actions = [] }
        return actions
    }

    /// A manager was made, or somebody follows the connection's life.
    mutating func attach(now: BootTime) {
        attached += 1
        settle(now)
    }

    /// It is gone.
    mutating func detach(now: BootTime) {
        attached -= 1
        settle(now)
    }

    /// When there is something to do, if nothing happens before.
    var deadline: BootTime? {
        var earliest = BootTime.earlier(link.retryAt, watchRetry.at)
        for channel in channels.values { earliest = BootTime.earlier(earliest, channel.warmUntil) }
        for instant in answerBy.values { earliest = BootTime.earlier(earliest, instant) }
        for reader in readers.values { earliest = BootTime.earlier(earliest, reader.deadline) }
        for stream in streams.values {
            earliest = BootTime.earlier(earliest, stream.retry.at)
            guard stream.connection != nil else { continue }
            earliest = BootTime.earlier(earliest, stream.doubtedUntil ?? stream.heard + Self.silenceNanoseconds)
        }
        return earliest
    }

    /// Does what is due.
    mutating func expire(now: BootTime) {
        let cold = channels.filter { $0.value.warmUntil.map { now >= $0 } ?? false }.keys
        for id in cold { drop(channel: id) }
        for id in streams.keys.sorted() { doubt(stream: id, now) }
        for (connection, instant) in answerBy where now >= instant { breakOff(connection, .timedOut, now: now) }
        expireReaders(now)
        let mayRetry = takeRetries(now)
        if mayRetry || !cold.isEmpty { settle(now) }
    }

    /// Opens, changes and closes connections until they carry what is wanted.
    mutating func settle(_ now: BootTime) {
        for id in streams.keys.sorted() { settle(stream: id, now) }
        settleWatch(now)
    }

    /// True where the time for some try has come.
    private mutating func takeRetries(_ now: BootTime) -> Bool {
        var isDue = link.takeRetry(now: now)
        if watchRetry.take(now: now) { isDue = true }
        for id in streams.keys where streams[id]?.retry.take(now: now) == true { isDue = true }
        return isDue
    }

    /// A stream that has been silent for too long is broken, unless it speaks when it is looked at.
    private mutating func doubt(stream id: Int, _ now: BootTime) {
        guard let stream = streams[id], let connection = stream.connection else { return }
        guard let until = stream.doubtedUntil else {
            if now - stream.heard >= Self.silenceNanoseconds { streams[id]?.doubtedUntil = now + Self.doubtNanoseconds }
            return
        }
        if now >= until { breakOff(connection, .disconnected, now: now) }
    }

    /// Gives a connection up that is of no use.
    mutating func breakOff(_ connection: Int, _ error: SensorError, now: BootTime) {
        actions.append(.close(connection))
        lost(connection, error, now: now)
    }

    /// Opens a connection for a call.
    mutating func open(_ purpose: Purpose, _ call: Call) -> Int {
        let id = makeID()
        connections[id] = purpose
        actions.append(.open(id, call))
        return id
    }

    /// Closes a connection that is no longer wanted.
    mutating func close(_ connection: Int) {
        guard connections.removeValue(forKey: connection) != nil else { return }
        answerBy[connection] = nil
        actions.append(.close(connection))
    }

    /// Where no stream tells how a resource is doing, the list of resources does.
    ///
    /// What is kept of it must not outlive the device. Also the connection of a program that has managers and listens to none.
    private mutating func settleWatch(_ now: BootTime) {
        let watch = connections.first { $0.value == .watch }?.key
        let told = Set(streams.values.flatMap { $0.channels.keys })
        let isWanted = newest.resources.contains { !told.contains($0) } || (streams.isEmpty && attached > 0)
        if !isWanted, let watch { close(watch) }
        if isWanted, watch == nil, link.retryAt == nil, watchRetry.at == nil {
            _ = open(.watch, Call(Interface.listResources, mode: .more))
        }
    }
}
