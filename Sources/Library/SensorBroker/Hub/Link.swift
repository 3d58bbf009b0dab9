internal import Platform

/// Tracks whether the broker answers, and when to try again if it does not.
///
/// All connections of a session share one link: they fail together and come back together. The wait doubles from 0.25 s
/// to 2 s and has jitter, so that a thousand programs do not connect at the same moment to a broker that has just
/// started.
struct Link {
    private(set) var isUp = false
    /// When to try again; nil: now.
    private(set) var retryAt: BootTime?
    private(set) var failures = 0
    /// Why the broker does not answer; nil while it answers or has not been tried.
    private(set) var error: SensorError?
    private var backoff = Backoff(longestNanoseconds: 2_000_000_000)
    /// The source of the jitter of all waits.
    var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// Notes an answer; true if the broker did not answer before.
    mutating func didAnswer() -> Bool {
        let isChange = !isUp
        isUp = true
        failures = 0
        error = nil
        retryAt = nil
        backoff.reset()
        return isChange
    }

    /// Notes a failure; returns the wait, or nil if another connection has reported it already.
    mutating func didFail(_ error: SensorError, now: BootTime) -> Int64? {
        isUp = false
        self.error = error
        guard retryAt == nil else { return nil }
        failures += 1
        let wait = backoff.next(using: &generator)
        assert(wait > 0, "a broker that is away is not asked in a loop")
        retryAt = now + wait
        return wait
    }

    /// True once when the time to try has come.
    mutating func takeRetry(now: BootTime) -> Bool {
        guard let retryAt, now >= retryAt else { return false }
        self.retryAt = nil
        return true
    }
}

/// When to repeat a request that was refused or answered with nonsense; the waits grow.
///
/// Separate from the link: a request that was refused to one stream must not be repeated each time another stream gets
/// a reply.
struct Retry {
    /// When to try again; nil: now.
    private(set) var at: BootTime?
    private(set) var failures = 0
    private var backoff = Backoff(longestNanoseconds: 2_000_000_000)

    /// Notes another failure; returns the wait.
    mutating func hold(now: BootTime, using generator: inout some RandomNumberGenerator) -> Int64 {
        failures += 1
        let wait = backoff.next(using: &generator)
        at = now + wait
        return wait
    }

    /// True once when the time to try has come.
    mutating func take(now: BootTime) -> Bool {
        guard let at, now >= at else { return false }
        self.at = nil
        return true
    }

    /// Notes a success.
    mutating func reset() { self = Retry() }
}
