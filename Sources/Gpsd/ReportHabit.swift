/// What became of an epoch after reports of one shape.
struct ReportHabit: Sendable {
    /// Of how many epochs the pauses are remembered.
    static let remembered = 32

    let shape: ReportShape
    /// How often in a row it was the last report of its epoch.
    private(set) var ends = 0
    /// How often it was the last one when the epoch before had ended otherwise.
    private(set) var turns = 0
    /// How many ends in a row prove that nothing comes after it.
    private(set) var endsWanted = 10
    /// What the times of fixes advanced since something last came after it.
    private(set) var provenNanoseconds: Int64 = 0
    /// When it last ended an epoch or was continued, counted in epochs.
    private(set) var lastEpoch = 0
    private var pauses: [(nanoseconds: Int64, epoch: Int)] = []
    /// How many reports the latest epochs had that it ended.
    private var counts: [(reports: Int, epoch: Int)] = []

    init(_ shape: ReportShape) { self.shape = shape }

    /// The longest pause after which something still came, among the latest epochs; nil where nothing came.
    func longestPauseNanoseconds(since epoch: Int) -> Int64? {
        pauses.lazy.filter { $0.epoch >= epoch }.map(\.nanoseconds).max()
    }

    /// How many reports the epochs had at least that it ended, among the latest; 0 where it ended none.
    func fewestReports(since epoch: Int) -> Int {
        counts.lazy.filter { $0.epoch >= epoch }.map(\.reports).min() ?? 0
    }

    mutating func ended(epoch: Int, reports: Int, isTurn: Bool, advancedNanoseconds: Int64) {
        if ends > 0 { provenNanoseconds = min(provenNanoseconds + advancedNanoseconds, 1 << 40) }
        ends += 1
        if isTurn { turns += 1 }
        lastEpoch = epoch
        if counts.count == Self.remembered { counts.removeFirst() }
        counts.append((reports, epoch))
    }

    mutating func continued(epoch: Int, pauseNanoseconds: Int64, wasLate: Bool) {
        (ends, provenNanoseconds, lastEpoch) = (0, 0, epoch)
        if wasLate {
            (turns, endsWanted) = (0, 60)
            // It did not end that epoch after all.
            if counts.last?.epoch == epoch { counts.removeLast() }
        }
        if let last = pauses.last, last.epoch == epoch {
            pauses[pauses.count - 1].nanoseconds = max(last.nanoseconds, pauseNanoseconds)
        } else {
            if pauses.count == Self.remembered { pauses.removeFirst() }
            pauses.append((pauseNanoseconds, epoch))
        }
    }
}
