/// Learns when an epoch is whole.
///
/// One in three epochs of gpsd's own recordings has several reports, and nothing in a report says that it is the last.
/// Two things tell: receivers repeat themselves, so after ten epochs of `k` reports each, the k-th is taken for the last
/// and its epoch can leave at once (for a well-behaved receiver k is 1, and nothing ever waits); and else a pause longer
/// than those seen within recent epochs. A report that comes too late proves the count wrong: then it takes a minute of
/// agreement at 1 Hz to believe in one again.
///
/// While that is being learned, and while a report that is agreed to come is missing, an epoch waits for as long as it may
/// take. On a slow line speed and track come 0.7 s after the position, and nothing but having waited tells such a line from
/// one where all is said: a speed that gpsd made up from positions is worse than a right one 0.9 s later. The price is
/// paid for four epochs: a receiver at 1 Hz with one report a second is 0.9 s late for its first four seconds, then 20 ms,
/// and after ten at once. A faster one pays less, for a report of the next epoch ends the one before. A late report
/// makes the next four epochs lessons too, and its pause counts for 32, so that few are late and a host that was busy
/// once is forgiven.
struct EpochPace: Sendable {
    /// A host is never that punctual.
    static let leastQuietNanoseconds: Int64 = 20_000_000
    /// How long an epoch may take where more is not known, even if the next one is far.
    static let patienceNanoseconds: Int64 = 900_000_000
    private static let lessons = 4
    private static let agreementAtFirst = 10
    private static let agreementAfterLate = 60
    private static let remembered = 32

    private var count = 0
    private var agreeing = 0
    private var agreementWanted = Self.agreementAtFirst
    private var lessonsLeft = Self.lessons
    private var pauses: [Int64] = []
    private var nextPause = 0

    /// The number of reports after which an epoch is whole, while receiver and experience agree on one.
    var wholeCount: Int? { agreeing >= agreementWanted ? count : nil }

    /// How long an epoch may take, given the interval between them if it is known: the next is not to be waited for.
    static func longestNanoseconds(interval: Int64?) -> Int64 { interval.map { $0 / 10 * 9 } ?? patienceNanoseconds }

    /// How long to wait for a further report after so many, given the interval between epochs if it is known.
    func quietNanoseconds(after count: Int, interval: Int64?) -> Int64 {
        let longest = Self.longestNanoseconds(interval: interval)
        let expectsMore = wholeCount.map { count < $0 } ?? false
        if lessonsLeft > 0 || expectsMore { return min(longest, Self.patienceNanoseconds) }
        let pause = pauses.max() ?? 0
        return min(longest, pause + pause / 2 + Self.leastQuietNanoseconds)
    }

    /// An epoch ended with so many reports, at most so far apart.
    mutating func note(count: Int, longestPauseNanoseconds: Int64) {
        agreeing = count == self.count ? agreeing + 1 : 1
        self.count = count
        lessonsLeft = max(0, lessonsLeft - 1)
        remember(longestPauseNanoseconds)
    }

    /// A report came for an epoch that had been taken for whole, so long after the one before.
    mutating func noteLate(pauseNanoseconds: Int64) {
        agreeing = 0
        count = 0
        agreementWanted = Self.agreementAfterLate
        lessonsLeft = Self.lessons
        remember(pauseNanoseconds)
    }

    private mutating func remember(_ pause: Int64) {
        let pause = min(max(pause, 0), IntervalEstimator.plausibleNanoseconds.upperBound)
        if pauses.count < Self.remembered {
            pauses.append(pause)
        } else {
            pauses[nextPause] = pause
            nextPause = (nextPause + 1) % Self.remembered
        }
    }
}
