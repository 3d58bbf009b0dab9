internal import Readings

/// Learns the receiver's interval from the times of its fixes, which carry no jitter of transport.
///
/// What it delivers at is another matter: a recording that is played faster or slower than it was made comes at the pace at
/// which it comes, whatever its times say. Eight arrivals in a row prove that; fewer may be what a busy host let pile up.
struct IntervalEstimator: Sendable {
    /// What a receiver may run at; a longer difference is a pause, one of 0 or less a clock that was set.
    static let plausibleNanoseconds: ClosedRange<Int64> = 5_000_000...60_000_000_000
    private static let agreementWanted = 3
    private static let arrivalsWanted = 8

    /// The interval between the times of fixes, once three differences in a row agreed on it.
    private(set) var fixIntervalNanoseconds: Int64?
    /// The interval between readings: that of the times, or the pace at which they are played.
    private(set) var intervalNanoseconds: Int64?
    private var last: (time: FixTime, arrival: BootTime)?
    private var candidate: Int64 = 0
    private var agreeing = 0
    /// Between the arrivals of the latest epochs.
    private var arrivals: [Int64] = []

    /// From one epoch to the next as they arrive: the interval of the times, unless a recording is played slower than that.
    var cycleNanoseconds: Int64? { fixIntervalNanoseconds.map { max($0, paceNanoseconds) } }

    /// A new epoch has this time and came then.
    mutating func take(_ time: FixTime, at arrival: BootTime) {
        defer { last = (time, arrival) }
        guard let last, let difference = time.nanoseconds(since: last.time),
            Self.plausibleNanoseconds.contains(difference)
        else {
            agreeing = 0
            return
        }
        if !Self.agree(candidate, difference) {
            agreeing = 0
            arrivals.removeAll(keepingCapacity: true)
        }
        agreeing += 1
        candidate = difference
        if arrivals.count == Self.arrivalsWanted { arrivals.removeFirst() }
        arrivals.append(max(0, arrival - last.arrival))
        if agreeing >= Self.agreementWanted { learn(difference) }
    }

    private mutating func learn(_ difference: Int64) {
        if fixIntervalNanoseconds.map({ !Self.agree($0, difference) }) ?? true { fixIntervalNanoseconds = difference }
        let pace = paceNanoseconds
        let isPlayed = arrivals.count == Self.arrivalsWanted && (pace < difference / 2 || pace / 2 > difference)
        let interval = isPlayed ? Self.wholeMilliseconds(pace) : difference
        if let known = intervalNanoseconds {
            // Arrivals jitter: only another pace altogether is news.
            let isSame = isPlayed ? abs(known - interval) <= interval / 4 : Self.agree(known, interval)
            if isSame { return }
        }
        intervalNanoseconds = interval
    }

    /// The mean between the latest arrivals.
    private var paceNanoseconds: Int64 {
        let sum = arrivals.reduce(0) { $0 + min($1, Self.plausibleNanoseconds.upperBound) }
        return sum / Int64(max(1, arrivals.count))
    }

    private static func wholeMilliseconds(_ pace: Int64) -> Int64 {
        max((pace + 500_000) / 1_000_000 * 1_000_000, plausibleNanoseconds.lowerBound)
    }

    /// Times come in milliseconds, so 18 Hz comes as 55 and 56 ms.
    private static func agree(_ one: Int64, _ other: Int64) -> Bool {
        abs(one - other) <= max(2_000_000, one / 100)
    }
}
