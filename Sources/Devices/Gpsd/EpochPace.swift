/// Learns when an epoch is complete.
///
/// One in three epochs in gpsd's own recordings has several reports, and no report shows that it is the last. Two
/// observations help. Receivers repeat themselves: the last report of an epoch usually has and lacks the same fields as
/// the last reports of the epochs before. Those fields are its shape. And a report that followed one of this shape came
/// after a pause of a certain length. So:
/// - After a shape that has not ended an epoch yet, or that ends one where another shape did so before (a fix comes or
///   goes), the epoch waits for as long as it may take, until that has happened twice.
/// - After a shape that was continued recently, it waits for one and a half times the longest of those pauses.
/// - After a shape that ended ten epochs in a row, over more than five seconds, it does not wait. Five seconds, because
///   receivers at 10 Hz send some sentences every second, and others every five seconds.
///
/// An epoch with fewer reports than any recent one waits until the next one begins, whatever the shape: some receivers
/// send the first report of an epoch directly after the last epoch, and the rest a second later.
///
/// The first four epochs wait as long as an epoch may take, whatever their shape, and so do the four after a report
/// that came too late. A shape that was followed by a late report must end sixty epochs before it is trusted again.
///
/// The reason for waiting: a speed that gpsd computed from positions is worse than the right one 0.9 s later. It costs
/// that delay for ten epochs and five seconds at least; a faster receiver is delayed by less, since a report of the next
/// epoch ends the one before.
struct EpochPace: Sendable {
    /// Shorter waits are useless, since hosts are not that punctual.
    static let leastQuietNanoseconds: Int64 = 20_000_000
    /// How long an epoch may take while the interval is unknown: most receivers send one a second, and the next epoch
    /// ends it.
    static let patienceNanoseconds: Int64 = 1_500_000_000
    private static let provenNanoseconds: Int64 = 5_000_000_000
    private static let lessons = 4
    private static let turnsWanted = 2
    private static let mostHabits = 16

    private var habits: [ReportHabit] = []
    private var epochs = 0
    /// The numbers of reports of the latest epochs.
    private var counts: [Int] = []
    private var lessonsLeft = Self.lessons
    private var lastEnd: ReportShape?
    private var lastTime: FixTime?
    private var wasContinued = false

    /// How long an epoch may take, given the interval between epochs if it is known.
    ///
    /// It ends before the next one.
    static func longestNanoseconds(interval: Int64?) -> Int64 { interval.map { $0 / 10 * 9 } ?? patienceNanoseconds }

    /// How long to wait for more after this many reports, the last of which has this shape; 0: do not wait.
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

    /// Whether epochs of a single report end with this shape now and then.
    private func isUsualTurn(to habit: ReportHabit) -> Bool {
        !wasContinued && habit.ends > 0 && habit.turns >= Self.turnsWanted
            && habit.lastEpoch >= epochs - ReportHabit.remembered
    }

    /// Learns from an epoch that was delivered.
    mutating func note(_ epoch: Epoch) {
        epochs += 1
        if counts.count == ReportHabit.remembered { counts.removeFirst() }
        counts.append(epoch.reports)
        lessonsLeft = max(0, lessonsLeft - 1)
        assert(counts.count <= ReportHabit.remembered && lessonsLeft < Self.lessons)
        for pause in epoch.pauses {
            habits[index(of: pause.shape)].continued(
                epoch: epochs, pauseNanoseconds: Self.plausible(pause.nanoseconds), wasLate: false)
        }
        let advanced = epoch.time.flatMap { time in lastTime.flatMap { time.nanoseconds(since: $0) } } ?? 0
        habits[index(of: epoch.shape)].ended(
            epoch: epochs, isTurn: lastEnd != epoch.shape, advancedNanoseconds: Self.plausible(advanced))
        (lastEnd, lastTime, wasContinued) = (epoch.shape, epoch.time, !epoch.pauses.isEmpty)
    }

    /// Learns from a report that came too late, by this pause after one of this shape.
    mutating func noteLate(after shape: ReportShape, pauseNanoseconds: Int64) {
        lessonsLeft = Self.lessons
        // The last count was too small.
        _ = counts.popLast()
        habits[index(of: shape)].continued(
            epoch: epochs, pauseNanoseconds: Self.plausible(pauseNanoseconds), wasLate: true)
    }

    /// The index of a shape's habit; a new one replaces the least recently seen.
    private mutating func index(of shape: ReportShape) -> Int {
        if let index = habits.firstIndex(where: { $0.shape == shape }) { return index }
        if habits.count == Self.mostHabits,
            let oldest = habits.indices.min(by: { habits[$0].lastEpoch < habits[$1].lastEpoch })
        {
            habits.remove(at: oldest)
        }
        habits.append(ReportHabit(shape))
        assert(habits.count <= Self.mostHabits)
        return habits.count - 1
    }

    private static func plausible(_ nanoseconds: Int64) -> Int64 {
        min(max(nanoseconds, 0), IntervalEstimator.plausibleNanoseconds.upperBound)
    }
}
