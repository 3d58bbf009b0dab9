internal import Readings

/// When to look at a device whose samples are overdue, and when to give up its buffer.
struct SilenceWatch {
    /// What a silence means.
    enum Verdict: Equatable {
        /// Nothing yet.
        case wait
        /// Somebody may have switched the buffer off.
        case suspicious
        /// The buffer has delivered nothing since it was started, and will not.
        case unusable
    }

    private let started: Int64
    private let isNetwork: Bool
    private var hasReceived = false
    private var patience: Int64
    /// How long after the last samples it looks.
    private var pause: Int64
    /// When to read next, whether there are data or not.
    private(set) var deadline: Int64

    /// Looks every half second, since nothing else shows that a program has switched the buffer off, or after one refill and a
    /// half, so that nobody is woken between the samples of a slow device; over the network, where a look is a round trip in
    /// the way of the next refill, four refills after the last one.
    init(startedAt instant: Int64, refillNanoseconds: Int64, isNetwork: Bool) {
        started = instant
        self.isNetwork = isNetwork
        patience = Self.patience(refillNanoseconds)
        pause = Self.pause(refillNanoseconds, isNetwork)
        deadline = instant.addingSaturating(pause)
        assert(patience >= 1_000_000_000 && pause >= 500_000_000)
    }

    private static func pause(_ refillNanoseconds: Int64, _ isNetwork: Bool) -> Int64 {
        if isNetwork { return patience(refillNanoseconds) }
        let refill = refillNanoseconds.clamped(to: 0...10_000_000_000)
        return max(500_000_000, refill + refill / 2)
    }

    /// Four refills, but no less than a second and no more than a minute.
    private static func patience(_ refillNanoseconds: Int64) -> Int64 {
        refillNanoseconds.clamped(to: 250_000_000...15_000_000_000) * 4
    }

    /// The device runs at another pace.
    mutating func restart(refillNanoseconds: Int64) {
        patience = Self.patience(refillNanoseconds)
        pause = Self.pause(refillNanoseconds, isNetwork)
        assert(patience >= 1_000_000_000 && pause >= 500_000_000)
    }

    /// Samples came.
    mutating func received(at instant: Int64) {
        hasReceived = true
        deadline = instant.addingSaturating(pause)
    }

    /// Nothing came from a read at this instant.
    mutating func verdict(at instant: Int64) -> Verdict {
        guard instant >= deadline else { return .wait }
        deadline = instant.addingSaturating(pause)
        assert(deadline >= instant)
        // Sensors may take seconds to power up.
        let waited = instant.subtractingSaturating(started)
        return !hasReceived && waited >= 3 * patience ? .unusable : .suspicious
    }
}
