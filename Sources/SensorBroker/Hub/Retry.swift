internal import Devices

/// When to try something again that was refused, or answered with nonsense; ever more rarely.
///
/// Apart from the link: what is refused to one stream must not be asked for again each time another one says something.
struct Retry {
    /// Not before; nil: now is as good a time as any.
    private(set) var at: BootTime?
    private(set) var failures = 0
    private var backoff = Backoff(longestNanoseconds: 2_000_000_000)

    /// It failed once more; the wait.
    mutating func hold(now: BootTime, using generator: inout some RandomNumberGenerator) -> Int64 {
        failures += 1
        let wait = backoff.next(using: &generator)
        at = now + wait
        return wait
    }

    /// True where the time to try has come.
    mutating func take(now: BootTime) -> Bool {
        guard let at, now >= at else { return false }
        self.at = nil
        return true
    }

    /// It went well.
    mutating func reset() { self = Retry() }
}
