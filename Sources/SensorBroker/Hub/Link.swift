internal import Devices

/// Whether the broker answers, and when to try again where it does not.
///
/// One for all connections of a session: they fail together and come back together, after a time that doubles from 0.25 s
/// to 2 s and differs from program to program, so that a thousand of them do not fall upon a broker that has just started.
struct Link {
    private(set) var isUp = false
    /// When to try again; nil: now is as good a time as any.
    private(set) var retryAt: BootTime?
    private(set) var failures = 0
    /// Why it does not answer; nil while it does, or was not tried.
    private(set) var error: SensorError?
    private var backoff = Backoff(longestNanoseconds: 2_000_000_000)
    /// For the jitter of all waits.
    var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    /// The broker answered; true where that is news.
    mutating func didAnswer() -> Bool {
        let isNews = !isUp
        isUp = true
        failures = 0
        error = nil
        retryAt = nil
        backoff.reset()
        return isNews
    }

    /// A connection broke or could not be made; the wait, where it was the first to say so.
    mutating func didFail(_ error: SensorError, now: BootTime) -> Int64? {
        isUp = false
        self.error = error
        guard retryAt == nil else { return nil }
        failures += 1
        let wait = backoff.next(using: &generator)
        retryAt = now + wait
        return wait
    }

    /// True where the time to try has come.
    mutating func takeRetry(now: BootTime) -> Bool {
        guard let retryAt, now >= retryAt else { return false }
        self.retryAt = nil
        return true
    }
}
