internal import Readings

/// Learns the receiver's interval from the times of its fixes, which carry no jitter of transport.
///
/// The rate of delivery may differ: a log that is replayed faster or slower than it was recorded arrives at the rate of
/// the replay, whatever its times are. Most of eight arrivals prove a slower one; eight in a row of which each is sooner
/// than any before prove a faster one. What a host that stood still has to catch up with is neither: one arrival is late,
/// and the others are not sooner than they were before it.
struct IntervalEstimator: Sendable {
    /// Possible intervals of a receiver.
    ///
    /// A longer difference is a pause; zero or less means that a clock was set.
    static let plausibleNanoseconds: ClosedRange<Int64> = 5_000_000...60_000_000_000
    private static let agreementWanted = 3
    private static let arrivalsWanted = 8

    /// The interval between the times of fixes, once three differences in a row agree.
    private(set) var fixIntervalNanoseconds: Int64?
    /// The interval between readings: that of the times, or the rate of a replay.
    private(set) var intervalNanoseconds: Int64?
    private var last: (time: FixTime, arrival: BootTime)?
    private var candidate: Int64 = 0
    private var agreeing = 0
    /// The intervals between the arrivals of the latest epochs.
    private var arrivals: [Int64] = []
    /// The median of those; kept, since each report of an epoch asks for it.
    private var paceNanoseconds: Int64 = 0
    /// How much later than the first one by its time the last epoch came, and the least of that.
    private var (lag, leastLag): (Int64, Int64) = (0, 0)
    /// How many in a row came sooner by their times than any before.
    private var sooner = 0

    /// The interval between the arrivals of epochs: that of the times, unless a log is replayed more slowly.
    var cycleNanoseconds: Int64? { fixIntervalNanoseconds.map { max($0, paceNanoseconds) } }

    mutating func take(_ time: FixTime, at arrival: BootTime) {
        defer { last = (time, arrival) }
        guard let last, let difference = time.nanoseconds(since: last.time),
            Self.plausibleNanoseconds.contains(difference)
        else {
            (agreeing, lag, leastLag, sooner) = (0, 0, 0, 0)
            return
        }
        if !Self.agree(candidate, difference) {
            agreeing = 0
            arrivals.removeAll(keepingCapacity: true)
        }
        agreeing += 1
        candidate = difference
        if arrivals.count == Self.arrivalsWanted { arrivals.removeFirst() }
        let step = min(max(0, arrival - last.arrival), Self.plausibleNanoseconds.upperBound)
        arrivals.append(step)
        paceNanoseconds = Self.median(arrivals)
        lag += step - difference
        sooner = lag < leastLag ? sooner + 1 : 0
        leastLag = min(leastLag, lag)
        assert(arrivals.count <= Self.arrivalsWanted && agreeing > 0)
        if agreeing >= Self.agreementWanted { learn(difference) }
    }

    private mutating func learn(_ difference: Int64) {
        if fixIntervalNanoseconds.map({ !Self.agree($0, difference) }) ?? true { fixIntervalNanoseconds = difference }
        assert(Self.plausibleNanoseconds.contains(difference))
        let pace = paceNanoseconds
        assert((0...Self.plausibleNanoseconds.upperBound).contains(pace))
        let areEnough = arrivals.count == Self.arrivalsWanted
        let isSlower = areEnough && pace / 2 > difference
        // A log that is played slowly, and then faster, does not have to catch up first.
        if isSlower { leastLag = lag }
        let isPlayed = isSlower || (areEnough && sooner >= Self.arrivalsWanted && pace < difference / 2)
        let interval = isPlayed ? Self.wholeMilliseconds(pace) : difference
        if let known = intervalNanoseconds {
            // Arrivals jitter, so only a clearly different rate counts as a change.
            let isSame = isPlayed ? abs(known - interval) <= interval / 4 : Self.agree(known, interval)
            if isSame { return }
        }
        intervalNanoseconds = interval
    }

    private static func median(_ values: [Int64]) -> Int64 {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    private static func wholeMilliseconds(_ pace: Int64) -> Int64 {
        max((pace + 500_000) / 1_000_000 * 1_000_000, plausibleNanoseconds.lowerBound)
    }

    /// Times have milliseconds, so 18 Hz arrives as intervals of 55 and 56 ms.
    private static func agree(_ one: Int64, _ other: Int64) -> Bool {
        abs(one - other) <= max(2_000_000, one / 100)
    }
}
