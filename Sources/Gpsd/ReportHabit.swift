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

    init(_ shape: ReportShape) { self.shape = shape }

    /// The longest pause after which something still came, among the latest epochs; nil where nothing came.
    func longestPauseNanoseconds(since epoch: Int) -> Int64? {
        pauses.lazy.filter { $0.epoch >= epoch }.map(\.nanoseconds).max()
    }

    mutating func ended(epoch: Int, isTurn: Bool, advancedNanoseconds: Int64) {
        if ends > 0 { provenNanoseconds = min(provenNanoseconds + advancedNanoseconds, 1 << 40) }
        ends += 1
        if isTurn { turns += 1 }
        lastEpoch = epoch
    }

    mutating func continued(epoch: Int, pauseNanoseconds: Int64, wasLate: Bool) {
        (ends, provenNanoseconds, lastEpoch) = (0, 0, epoch)
        if wasLate { (turns, endsWanted) = (0, 60) }
        if let last = pauses.last, last.epoch == epoch {
            pauses[pauses.count - 1].nanoseconds = max(last.nanoseconds, pauseNanoseconds)
        } else {
            if pauses.count == Self.remembered { pauses.removeFirst() }
            pauses.append((pauseNanoseconds, epoch))
        }
    }
}
