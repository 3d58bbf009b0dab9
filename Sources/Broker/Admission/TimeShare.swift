public import Readings

/// A share of the loop's time for one sort of work: long work is followed by a proportionally longer pause.
///
/// After a time without such work, a little of it is done at once. Pure: time is an argument.
public struct TimeShare: Sendable {
    private let percent: Int64
    private let burstNanoseconds: Int64
    /// When the share of the work done so far is paid back and more may be done; not after now if it may be done at once.
    public private(set) var opensAt = BootTime(nanoseconds: 0)

    /// The most that one piece of work counts: the scheduler may have run another program meanwhile.
    static let mostNanoseconds: Int64 = 2_000_000

    /// A share in percent, and how much work may be done at once after a pause.
    public init(percent: Int, burstNanoseconds: Int64) {
        self.percent = Int64(min(max(1, percent), 100))
        self.burstNanoseconds = max(0, burstNanoseconds)
    }

    /// Records work that took this long.
    public mutating func take(_ nanoseconds: Int64, now: BootTime) {
        let work = min(max(0, nanoseconds), Self.mostNanoseconds)
        let earliest = now + -(burstNanoseconds * 100 / percent)
        // Work that had to be done, however long it took, leaves no long debt.
        opensAt = min(max(opensAt, earliest) + work * 100 / percent, now + Self.mostNanoseconds * 100 / percent)
    }
}
