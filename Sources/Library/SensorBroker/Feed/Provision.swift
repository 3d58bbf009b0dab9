internal import BrokerClient
internal import Platform

/// How a provision stands: when to connect, what the broker has answered, and what the provider gets of it; pure.
///
/// It is tried again whatever happens, also after a refusal, which an administrator or the holder of the name can cure; except for what no
/// broker will accept.
struct Provision {
    /// What is reported to the provider.
    enum Change: Equatable {
        case event(ProviderEvent)
        /// Samples are taken.
        case provided
        /// Waiting does not help.
        case ended(SensorError)
    }

    private enum Phase: Equatable {
        /// Without a connection; nil: connects at once.
        case waiting(until: BootTime?)
        case asked(answerBy: BootTime)
        case provided
        case ended
    }

    /// How long a demand holds after the broker has gone: a restart need not switch a device off and on.
    private static let graceNanoseconds: Int64 = 5_000_000_000

    private var phase = Phase.waiting(until: nil)
    private var demand = SensorDemand.nobody
    /// When nobody wants samples, unless the broker reports before that somebody does.
    private var restAt: BootTime?
    private var backoff = Backoff(longestNanoseconds: 2_000_000_000)
    private var generator: SplitMix64

    /// Begins with an attempt; the seed decides the jitter between further ones.
    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// Whether the broker takes how many samples were not sent.
    private(set) var takesMissing = false

    /// Whether samples can be sent.
    var isProvided: Bool { phase == .provided }

    /// When something is due if nothing happens before.
    var deadline: BootTime? {
        switch phase {
        case .waiting(let until): BootTime.earlier(until, restAt)
        case .asked(let answerBy): BootTime.earlier(answerBy, restAt)
        case .provided, .ended: restAt
        }
    }

    /// Whether to connect now.
    func isDue(_ now: BootTime) -> Bool {
        if case .waiting(let until) = phase { until.map { now >= $0 } ?? true } else { false }
    }

    /// The call was sent.
    mutating func didAsk(_ now: BootTime) {
        assert(isDue(now), "nothing is provided twice")
        phase = .asked(answerBy: now + KnownBroker.answerNanoseconds)
    }

    /// Whether an answer should have come; only if what came until then has been read.
    func isOverdue(_ readUntil: BootTime) -> Bool {
        if case .asked(let answerBy) = phase { readUntil >= answerBy } else { false }
    }

    /// Does what is due.
    mutating func expire(_ now: BootTime) -> [Change] {
        guard let at = restAt, now >= at else { return [] }
        return want(.nobody)
    }

    /// The broker has replied.
    mutating func replied(_ reply: ProvideReply) -> [Change] {
        guard phase != .ended else { return [] }
        var changes: [Change] = isProvided ? [] : [.provided]
        phase = .provided
        takesMissing = reply.takesMissing
        backoff.reset()
        if let refused = reply.refused {
            changes.append(.event(.refused(count: Int(clamping: refused.count), reason: refused.reason)))
        }
        // The clients of a broker that was restarted come back as well, a moment later.
        if !reply.isWanted, restAt != nil { return changes }
        return changes + want(SensorDemand(reply))
    }

    /// The broker refuses.
    mutating func refused(_ error: SensorError, _ now: BootTime) -> [Change] {
        if case .invalidRequest = error { return end(error) }
        return lost(error, now)
    }

    /// The connection has ended, or could not be made.
    mutating func lost(_ error: SensorError, _ now: BootTime) -> [Change] {
        switch (phase, error) {
        case (.ended, _): return []
        // Only the transport itself reports that: it cannot be.
        case (.waiting, .invalidRequest): return end(error)
        default: break
        }
        phase = .waiting(until: now + backoff.next(using: &generator))
        if demand != .nobody, restAt == nil { restAt = now + Self.graceNanoseconds }
        return [.event(.disconnected(error))]
    }

    private mutating func end(_ error: SensorError) -> [Change] {
        phase = .ended
        restAt = nil
        return [.ended(error)]
    }

    private mutating func want(_ new: SensorDemand) -> [Change] {
        restAt = nil
        demand = new
        return [.event(.demand(new))]
    }
}

extension SensorDemand {
    /// The demand in a reply.
    fileprivate init(_ reply: ProvideReply) {
        self =
            reply.isWanted
            ? .samples(
                every: reply.intervalNanoseconds.map { .nanoseconds($0) },
                latency: .nanoseconds(reply.latencyNanoseconds))
            : .nobody
    }
}
