/// Requests that the broker has refused to the stream, and when they are repeated: all, or those for one resource.
struct StreamPauses {
    private var whole = Retry()
    private var held: [ResourceName: Retry] = [:]

    /// Whether the whole stream waits.
    var isWhole: Bool { whole.at != nil }

    /// When something is repeated.
    var deadline: BootTime? { held.values.reduce(whole.at) { BootTime.earlier($0, $1.at) } }

    /// Whether further requests for a resource wait.
    func holds(_ resource: ResourceName) -> Bool { held[resource]?.at != nil }

    /// Has the whole stream wait; returns how often that has happened.
    mutating func holdWhole(_ broker: inout KnownBroker, _ now: BootTime) -> Int {
        _ = broker.hold(&whole, now: now)
        return whole.failures
    }

    /// The broker has answered the stream.
    mutating func endWhole() { whole.reset() }

    /// Has further requests for a resource wait; returns how often that has happened.
    mutating func hold(_ resource: ResourceName, _ broker: inout KnownBroker, _ now: BootTime) -> Int {
        _ = broker.hold(&held[resource, default: Retry()], now: now)
        return held[resource]?.failures ?? 0
    }

    /// The broker carries out a request for a resource.
    mutating func end(_ resource: ResourceName) { held[resource] = nil }

    /// Once when their time has come: whether the whole stream is repeated, and the resources whose requests are.
    mutating func takeDue(_ now: BootTime) -> (isWhole: Bool, resources: [ResourceName]) {
        let resources = held.keys.filter { held[$0]?.take(now: now) == true }
        return (whole.take(now: now), resources)
    }
}

/// When the stream received something, and how long its silence may last: the broker sends a sign of life every 30 s.
struct SignsOfLife {
    /// A stream that has been silent for so long is suspect.
    static let silenceNanoseconds: Int64 = 90_000_000_000
    /// How long a suspect stream then has to send something: a host that slept could not receive anything.
    static let doubtNanoseconds: Int64 = 5_000_000_000

    private var lastReceived = BootTime(nanoseconds: 0)
    /// Until when a suspect stream has to send something.
    private var doubtedUntil: BootTime?

    /// When to look again.
    var deadline: BootTime { doubtedUntil ?? lastReceived + Self.silenceNanoseconds }

    mutating func begin(_ now: BootTime) { lastReceived = now }

    mutating func didReceive(_ now: BootTime) {
        lastReceived = now
        doubtedUntil = nil
    }

    /// Whether the stream is given up: a silent one first becomes suspect.
    mutating func areMissing(_ now: BootTime) -> Bool {
        if let doubtedUntil { return now >= doubtedUntil }
        if now - lastReceived >= Self.silenceNanoseconds { doubtedUntil = now + Self.doubtNanoseconds }
        return false
    }
}
