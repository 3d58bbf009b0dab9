internal import Readings

/// How epochs continued after reports of one shape.
struct ReportHabit: Sendable {
    /// For how many epochs pauses are remembered.
    static let remembered = 32

    let shape: ReportShape
    /// How many times in a row it was the last report of its epoch.
    private(set) var ends = 0
    /// How many times it was the last one after an epoch that had ended with another shape.
    private(set) var turns = 0
    /// How many ends in a row prove that nothing follows it.
    private(set) var endsWanted = 10
    /// By how much the times of fixes have advanced since a report last followed it.
    private(set) var provenNanoseconds: Int64 = 0
    /// The epoch at which it was last seen.
    private(set) var lastEpoch = 0
    private var pauses: [(nanoseconds: Int64, epoch: Int)] = []

    init(_ shape: ReportShape) { self.shape = shape }

    /// The longest pause in the latest epochs after which a report followed; nil if none did.
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

/// Which fields a report has, whatever their values.
///
/// gpsd completes a fix as sentences arrive: the last report of an epoch usually has the same shape as the last one of
/// the epoch before, and another shape than the reports before it.
struct ReportShape: Hashable, Sendable {
    private let mode: Int
    private let known: UInt16

    init(_ report: FixReport) {
        let location = report.location
        let values = [
            location.latitudeDegrees, location.altitudeMeters, location.ellipsoidHeightMeters,
            location.speedMetersPerSecond, location.trackDegrees, location.climbMetersPerSecond,
            location.horizontalErrorMeters, location.verticalErrorMeters,
        ]
        mode = report.mode
        known = values.reduce(0) { $0 << 1 | ($1?.isFinite == true ? 1 : 0) }
    }

    /// gpsd does not know the quality of the fix yet, so more reports follow.
    var isBeginning: Bool { mode == 0 }
}
