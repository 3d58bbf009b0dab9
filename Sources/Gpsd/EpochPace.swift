/// Learns when an epoch is whole.
///
/// One in three epochs of gpsd's own recordings has several reports, and nothing in a report says that it is the last.
/// Two things tell: receivers repeat themselves, so after ten epochs of `k` reports each, the k-th is taken for the last
/// and its epoch can leave at once (for a well-behaved receiver k is 1, and nothing ever waits); and else a pause longer
/// than those seen within recent epochs. A report that comes too late proves the count wrong: then it takes a minute of
/// agreement at 1 Hz to believe in one again.
struct EpochPace: Sendable {
    /// How long an epoch waits for a further report, whatever was learned.
    static let quietNanoseconds: ClosedRange<Int64> = 20_000_000...250_000_000
    private static let agreementAtFirst = 10
    private static let agreementAfterLate = 60
    private static let remembered = 32

    private var count = 0
    private var agreeing = 0
    private var agreementWanted = Self.agreementAtFirst
    private var pauses: [Int64] = []
    private var nextPause = 0

    /// The number of reports after which an epoch is whole, while receiver and experience agree on one.
    var wholeCount: Int? { agreeing >= agreementWanted ? count : nil }

    /// How long to wait for a further report after so many, given the interval between epochs if it is known.
    ///
    /// Where more are agreed on, the pauses learned do not count: a busy host may hold a report up for longer than ever.
    func quietNanoseconds(after count: Int, interval: Int64?) -> Int64 {
        let expectsMore = wholeCount.map { count < $0 } ?? false
        let known = !expectsMore && pauses.count >= 4 ? pauses.max() : nil
        let wish = known.map { $0.addingReportingOverflow($0 / 2 + 20_000_000).partialValue } ?? .max
        let bounded = min(max(wish, Self.quietNanoseconds.lowerBound), Self.quietNanoseconds.upperBound)
        return min(bounded, (interval ?? .max) / 5 * 2)
    }

    /// An epoch ended with so many reports, at most so far apart.
    mutating func note(count: Int, longestPauseNanoseconds: Int64) {
        agreeing = count == self.count ? agreeing + 1 : 1
        self.count = count
        remember(longestPauseNanoseconds)
    }

    /// A report came for an epoch that had been taken for whole, so long after the one before.
    mutating func noteLate(pauseNanoseconds: Int64) {
        agreeing = 0
        count = 0
        agreementWanted = Self.agreementAfterLate
        remember(pauseNanoseconds)
    }

    private mutating func remember(_ pause: Int64) {
        let pause = min(max(pause, 0), Self.quietNanoseconds.upperBound)
        if pauses.count < Self.remembered {
            pauses.append(pause)
        } else {
            pauses[nextPause] = pause
            nextPause = (nextPause + 1) % Self.remembered
        }
    }
}
