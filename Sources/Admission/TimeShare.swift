public import Readings

/// A share of the loop's time for one sort of work: after work that has taken long comes a pause that is longer in proportion.
///
/// After a while without such work a little of it is done at once. Pure: time is an argument.
public struct TimeShare: Sendable {
    private let percent: Int64
    private let burstNanoseconds: Int64
    /// When the work done so far is made up for.
    private var madeUpAt = BootTime(nanoseconds: 0)

    /// The longest that one piece of work is taken for: the scheduler may have run somebody else meanwhile.
    static let mostNanoseconds: Int64 = 2_000_000

    /// So many hundredths of all time, and so much work at once after a pause.
    public init(percent: Int, burstNanoseconds: Int64) {
        self.percent = Int64(min(max(1, percent), 100))
        self.burstNanoseconds = max(0, burstNanoseconds)
    }

    /// When more may be done; not after now if it may be done at once.
    public var opensAt: BootTime { madeUpAt }

    /// Some work took so long.
    public mutating func take(_ nanoseconds: Int64, now: BootTime) {
        let work = min(max(0, nanoseconds), Self.mostNanoseconds)
        let earliest = now + -(burstNanoseconds * 100 / percent)
        // Work that had to be done whatever it took leaves no long debt.
        madeUpAt = min(max(madeUpAt, earliest) + work * 100 / percent, now + Self.mostNanoseconds * 100 / percent)
    }
}
