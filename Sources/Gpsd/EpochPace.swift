/// Learns when an epoch is whole.
///
/// One in three epochs of gpsd's own recordings has several reports, and nothing in a report says that it is the last.
/// Two things tell. Receivers repeat themselves, so the last report of an epoch mostly knows and lacks the same fields as
/// the last one of the epochs before: that is its shape. And what came after a report of that shape, if anything, came
/// after a pause of some length. So:
/// - After a shape that has not ended an epoch yet, or that ends one where another did so before (a fix comes or goes),
///   the epoch waits for as long as it may take, until that has happened twice.
/// - After a shape that was continued lately, half again the longest of the pauses is waited for.
/// - After a shape that ended ten epochs in a row, over more than five seconds, nothing is waited for. Five seconds,
///   because receivers at 10 Hz say some things once a second, and others say them every five.
///
/// An epoch of fewer reports than any lately waits until the next one begins, whatever they look like: some receivers begin
/// one behind the sentences of the last, and come to its rest a second later.
///
/// The first four epochs wait for as long as they may take, whatever they look like, and so do the four after a report
/// that came too late. A shape that was followed by a late one has to end sixty epochs before it is believed again.
///
/// A speed that gpsd made up from positions is worse than a right one 0.9 s later. The price is paid for at most ten epochs:
/// a faster receiver pays less, for a report of the next epoch ends the one before.
struct EpochPace: Sendable {
    /// A host is never that punctual.
    static let leastQuietNanoseconds: Int64 = 20_000_000
    /// How long an epoch may take while the interval is not known: most come once a second, and the next ends it.
    static let patienceNanoseconds: Int64 = 1_500_000_000
    private static let provenNanoseconds: Int64 = 5_000_000_000
    private static let lessons = 4
    private static let turnsWanted = 2
    private static let mostHabits = 16

    private var habits: [ReportHabit] = []
    private var epochs = 0
    /// How many reports the latest epochs had.
    private var counts: [Int] = []
    private var lessonsLeft = Self.lessons
    private var lastEnd: ReportShape?
    private var lastTime: FixTime?
    private var wasContinued = false

    /// How long an epoch may take, given the interval between them if it is known: the next is not to be waited for.
    static func longestNanoseconds(interval: Int64?) -> Int64 { interval.map { $0 / 10 * 9 } ?? patienceNanoseconds }

    /// How long to wait for more after so many reports, the last of a shape; 0: not at all.
    ///
    /// The interval between epochs is given if it is known.
    func quietNanoseconds(after shape: ReportShape, reports: Int, interval: Int64?) -> Int64 {
        let longest = Self.longestNanoseconds(interval: interval)
        if lessonsLeft == 0, let interval, reports < counts.min() ?? 0 { return interval / 2 * 3 }
        guard lessonsLeft == 0, !shape.isBeginning, let habit = habits.first(where: { $0.shape == shape }),
            shape == lastEnd || isUsualTurn(to: habit)
        else { return longest }
        let pause = habit.longestPauseNanoseconds(since: epochs - ReportHabit.remembered)
        if pause == nil, habit.ends >= habit.endsWanted, habit.provenNanoseconds > Self.provenNanoseconds { return 0 }
        guard let pause else { return longest }
        return min(longest, pause + pause / 2 + Self.leastQuietNanoseconds)
    }

    /// Whether epochs of single reports end with this shape now and then.
    private func isUsualTurn(to habit: ReportHabit) -> Bool {
        !wasContinued && habit.ends > 0 && habit.turns >= Self.turnsWanted
            && habit.lastEpoch >= epochs - ReportHabit.remembered
    }

    /// An epoch has left.
    mutating func note(_ epoch: Epoch) {
        epochs += 1
        if counts.count == ReportHabit.remembered { counts.removeFirst() }
        counts.append(epoch.reports)
        lessonsLeft = max(0, lessonsLeft - 1)
        for pause in epoch.pauses {
            habits[index(of: pause.shape)].continued(
                epoch: epochs, pauseNanoseconds: Self.plausible(pause.nanoseconds), wasLate: false)
        }
        let advanced = epoch.time.flatMap { time in lastTime.flatMap { time.nanoseconds(since: $0) } } ?? 0
        habits[index(of: epoch.shape)].ended(
            epoch: epochs, isTurn: lastEnd != epoch.shape, advancedNanoseconds: Self.plausible(advanced))
        (lastEnd, lastTime, wasContinued) = (epoch.shape, epoch.time, !epoch.pauses.isEmpty)
    }

    /// A report came for an epoch that had left, so long after one of this shape.
    mutating func noteLate(after shape: ReportShape, pauseNanoseconds: Int64) {
        lessonsLeft = Self.lessons
        // That was not all of them.
        _ = counts.popLast()
        habits[index(of: shape)].continued(
            epoch: epochs, pauseNanoseconds: Self.plausible(pauseNanoseconds), wasLate: true)
    }

    /// Where the habit of a shape is; it takes the place of the one that was not met for longest.
    private mutating func index(of shape: ReportShape) -> Int {
        if let index = habits.firstIndex(where: { $0.shape == shape }) { return index }
        if habits.count == Self.mostHabits,
            let oldest = habits.indices.min(by: { habits[$0].lastEpoch < habits[$1].lastEpoch })
        {
            habits.remove(at: oldest)
        }
        habits.append(ReportHabit(shape))
        return habits.count - 1
    }

    private static func plausible(_ nanoseconds: Int64) -> Int64 {
        min(max(nanoseconds, 0), IntervalEstimator.plausibleNanoseconds.upperBound)
    }
}
