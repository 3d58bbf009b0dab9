public import Readings

/// How many calls a user may make: a bucket of tokens that fills at a steady rate.
public struct CallBudget: Sendable {
    private let perSecond: Int64
    private let burst: Int64
    /// When the bucket will be full if nothing more is taken.
    private var fullAt: BootTime

    /// A full bucket; both numbers must be positive.
    public init(perSecond: Int, burst: Int, now: BootTime) {
        self.perSecond = Int64(max(1, perSecond))
        self.burst = Int64(max(1, burst))
        fullAt = now
    }

    private var tokenNanoseconds: Int64 { 1_000_000_000 / perSecond }

    /// When the next call may be made; not after now if it may be made at once.
    public var nextCall: BootTime { fullAt + (1 - burst) * tokenNanoseconds }

    /// Whether everything that was taken has been refilled.
    func isFull(now: BootTime) -> Bool { fullAt <= now }

    /// Takes a cost that is due in any case; the debt is limited to what refills in a second.
    mutating func charge(_ cost: Int, now: BootTime) {
        let most = burst * tokenNanoseconds + 1_000_000_000
        let (wait, isEndless) = Int64(max(1, cost)).multipliedReportingOverflow(by: tokenNanoseconds)
        let before = fullAt
        fullAt = max(fullAt, min(max(fullAt, now) + (isEndless ? most : min(wait, most)), now + most))
        assert(fullAt >= before && fullAt <= max(before, now + most), "a debt shrinks only by time, and has a bound")
    }
}
