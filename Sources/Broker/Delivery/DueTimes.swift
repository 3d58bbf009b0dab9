public import Readings

/// When a lane's readings are due: at the exact rate, whatever its ratio to the device's rate.
///
/// Due times advance by the interval and are compared with the samples' own timestamps: the sample nearest to a due time
/// is taken. So the mean rate is exact, nothing drifts, and the spacing is off by at most one device period. Taking every
/// n-th sample would give up to twice the requested rate, and waiting an interval from the last delivery would give too low a
/// rate: with jitter, even if the interval is a multiple of the period.
///
/// Due times lie on a grid (anchor + k · interval) that all lanes of a device share, so that clients of equal or multiple
/// intervals fall due with the same sample: waking a client costs ten times what a send to a woken one costs.
public struct DueTimes: Equatable, Sendable {
    private let intervalNanoseconds: Int64
    private var anchor: BootTime?
    /// The next due time; nil: at once.
    public private(set) var next: BootTime?
    private var newest: BootTime?
    /// Up to here, samples have arrived or have been reported as lost.
    private var accounted: BootTime?
    /// Samples are missing before the newest, and no gap has reported them: all lanes skip what was due then.
    private var followsHole = false
    private var last: BootTime?

    /// Due times of an interval on the grid of an anchor; without one, the first sample's time is the anchor.
    public init(intervalNanoseconds: Int64, anchor: BootTime?, next: BootTime? = nil) {
        self.intervalNanoseconds = intervalNanoseconds
        self.anchor = anchor
        self.next = next
    }

    /// Whether the sample of this time is the one for the next due time.
    ///
    /// If the interval is no longer than the device's period, every sample is due: if a device runs slightly fast, one sample
    /// in a thousand need not be left out. Only a device that delivers at twice its reported rate, or faster, is held to the
    /// interval, unless its samples were decimated before. Samples come in order; if one does not, the source's clock has jumped
    /// back, and a new grid begins.
    public mutating func isDue(_ timestamp: BootTime, period: Int64?, wasDecimated: Bool = false) -> Bool {
        if let newest, timestamp < newest { (next, anchor, last) = (nil, nil, nil) }
        followsHole = accounted.map { (timestamp - $0) / 2 >= period ?? .max } ?? false
        (newest, accounted) = (timestamp, timestamp)
        guard let next else { return true }
        if takesAll(period) {
            return wasDecimated || last.map { timestamp - $0 >= intervalNanoseconds / 2 } ?? true
        }
        return Self.serves(timestamp, next, period)
    }

    /// Whether a sample of this time is the nearest to a due time, or later.
    private static func serves(_ timestamp: BootTime, _ next: BootTime, _ period: Int64?) -> Bool {
        next - timestamp <= (period ?? 0) / 2
    }

    /// The next due time, where a sample of this time comes too early for it; nil: one has to ask with `isDue`.
    func waits(at timestamp: BootTime, period: Int64?) -> BootTime? {
        guard let next, !takesAll(period), newest.map({ $0 <= timestamp }) ?? true,
            !Self.serves(timestamp, next, period)
        else { return nil }
        return next
    }

    /// Takes samples of a run as `isDue` and `advance` would, one after the other, if each of them is due; false: nothing was taken.
    ///
    /// The samples are in order. Where every one is due, the next due time is the grid point after the newest one.
    mutating func pass(_ run: SampleRun, _ range: Range<Int>, period: Int64?, wasDecimated: Bool) -> Bool {
        guard intervalNanoseconds > 0, !range.isEmpty else { return true }
        guard takesAll(period), next != nil, let anchor, let last else { return false }
        guard wasDecimated || run.isSpaced(range, atLeast: intervalNanoseconds / 2, after: last) else { return false }
        let newest = run.timestamp(at: range.upperBound - 1)
        (self.newest, accounted, self.last) = (newest, newest, newest)
        next = Self.gridPoint(after: newest, anchor: anchor, interval: intervalNanoseconds)
        return true
    }

    /// Samples up to this time came too early, and were not passed to `isDue`.
    ///
    /// A hole among them does not matter: if no sample follows, the grid continues from the due time itself.
    mutating func passOver(upTo timestamp: BootTime) {
        (newest, accounted, followsHole) = (timestamp, timestamp, false)
    }

    /// Moves on after a delivery for this time: to the next grid point, or past those that were missed in a silence.
    ///
    /// In a silence, the delivered sample is older.
    public mutating func advance(past timestamp: BootTime, delivering sample: BootTime? = nil, period: Int64?) {
        guard intervalNanoseconds > 0 else { return }
        let anchor = anchor ?? timestamp
        self.anchor = anchor
        last = sample ?? timestamp
        let half = takesAll(period) ? 0 : (period ?? 0) / 2
        if let next, next - timestamp <= half, timestamp - next < intervalNanoseconds, !followsHole {
            self.next = next + intervalNanoseconds
        } else {
            self.next = Self.gridPoint(after: timestamp + half, anchor: anchor, interval: intervalNanoseconds)
        }
    }

    /// Begins after a reading that was delivered at another interval: with the grid point that is nearest to an interval later.
    ///
    /// If that is over already, or without a grid, the next sample is due. What was due before the newest sample was due at the
    /// other interval, and does not count as lost at this one.
    mutating func begin(after delivery: BootTime, newest: BootTime?) {
        guard intervalNanoseconds > 0, next == nil, let anchor else { return }
        let first = Self.gridPoint(
            after: delivery + intervalNanoseconds / 2, anchor: anchor, interval: intervalNanoseconds)
        if newest.map({ first > $0 }) ?? true { next = first }
    }

    /// Starts a grid of its own after a delivery for this time; a sample that came early counts as of the due time that it serves.
    ///
    /// Else each would be early again, and a client would get more than it was granted.
    mutating func restart(past timestamp: BootTime, delivering sample: BootTime?, period: Int64?) {
        let served = takesAll(period) ? timestamp : max(timestamp, next ?? timestamp)
        restart(at: served, delivering: sample ?? timestamp)
    }

    /// Starts a grid of its own after a delivery for this time: the next due time is an interval later.
    public mutating func restart(at timestamp: BootTime, delivering sample: BootTime? = nil) {
        anchor = timestamp
        last = sample ?? timestamp
        next = timestamp + intervalNanoseconds
    }

    /// Skips the due times that no sample serves, because the samples up to an instant are missing.
    ///
    /// The last of them is not skipped: the next sample, a period later, serves it. Returns the number skipped; nil if nothing
    /// is due yet.
    public mutating func skip(upTo until: BootTime, period: Int64?) -> Int? {
        guard let next, intervalNanoseconds > 0 else { return nil }
        let reach = until + (period ?? 0) + (period ?? 0) / 2 - next
        let missed = max(0, reach / intervalNanoseconds)
        accounted = until
        self.next = next + missed * intervalNanoseconds
        return Int(clamping: missed)
    }

    /// Whether every sample is due, at this period of the device.
    public func takesAll(_ period: Int64?) -> Bool { intervalNanoseconds <= (period ?? 0) || intervalNanoseconds == 0 }

    static func gridPoint(after instant: BootTime, anchor: BootTime, interval: Int64) -> BootTime {
        let steps = floorDivide(instant - anchor, interval)
        let (offset, overflow) = (steps &+ 1).multipliedReportingOverflow(by: interval)
        return overflow ? instant + interval : anchor + offset
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
