internal import Readings

/// How fast a device runs.
struct Pace: Equatable {
    private let claimedNanoseconds: Int64
    /// The interval that the device itself reports; nil if it does not.
    let reportedNanoseconds: Int64?
    /// The interval that the stamps have shown instead, if it differs.
    var measuredNanoseconds: Int64?

    /// For devices that set their own pace and do not report it.
    static let guessNanoseconds: Int64 = 10_000_000
    /// For devices that must be given a pace although nobody asks for one.
    static let unaskedNanoseconds: Int64 = 100_000_000

    /// Nanoseconds from sample to sample, as far as is known: for sizes, spacing and waiting.
    var intervalNanoseconds: Int64 { measuredNanoseconds ?? claimedNanoseconds }

    /// The interval for clients: the measured one, else the one that the device reports.
    var publishedNanoseconds: Int64? { measuredNanoseconds ?? reportedNanoseconds }

    /// Whether another pace was set: then the measured interval no longer holds.
    func isSet(as other: Pace) -> Bool {
        claimedNanoseconds == other.claimedNanoseconds && reportedNanoseconds == other.reportedNanoseconds
    }

    /// Takes a measured period; returns whether it changes anything.
    mutating func learn(_ period: Int64) -> Bool {
        // A claim that was found wrong must come closer before it is believed again, so that nothing flutters at the
        // limit.
        let divisor: Int64 = measuredNanoseconds == nil ? 8 : 16
        let isAsClaimed = reportedNanoseconds.map { PaceMeter.agree($0, period, withinOneIn: divisor) } ?? false
        let isKnown = measuredNanoseconds.map { PaceMeter.agree($0, period) } ?? false
        guard isAsClaimed ? measuredNanoseconds != nil : !isKnown else { return false }
        measuredNanoseconds = isAsClaimed ? nil : period
        return true
    }

    /// The pace that was set, and the pace that the device then reports.
    init(wanted: SamplingRate?, reported: SamplingRate?) {
        reportedNanoseconds = reported?.intervalNanoseconds
        claimedNanoseconds = (reported ?? wanted)?.intervalNanoseconds ?? Self.guessNanoseconds
    }
}

/// Measures how fast a device really samples, from its stamps: some chips claim a wrong rate, and some claim none.
///
/// A pace counts once two successive stretches agree on it, each of at least half a second and eight steps.
struct PaceMeter {
    private var first: Int64?
    private var steps: Int64 = 0
    private var previous: Int64?

    private static let stretchNanoseconds: Int64 = 500_000_000
    private static let stretchSteps: Int64 = 8

    /// Starts again: the pace was changed, or stamps are missing.
    mutating func restart() { self = PaceMeter() }

    /// Takes the stamp of a sample; returns the period that two stretches have shown, at the end of the second.
    mutating func period(with stamp: Int64) -> Int64? {
        guard let first else {
            first = stamp
            return nil
        }
        steps += 1
        let span = stamp.subtractingSaturating(first)
        guard steps >= Self.stretchSteps, span >= Self.stretchNanoseconds else { return nil }
        let period = max(span / steps, 1)
        defer { (self.first, steps, previous) = (stamp, 0, period) }
        guard let previous, Self.agree(previous, period) else { return nil }
        return previous / 2 + period / 2
    }

    /// Takes the stamps of samples; returns the periods that stretches have shown with them.
    mutating func periods(with stamps: ArraySlice<Int64>) -> [Int64] {
        // Nearly every burst ends before the stretch does.
        if let first, let last = stamps.last, last.subtractingSaturating(first) < Self.stretchNanoseconds {
            steps += Int64(stamps.count)
            return []
        }
        return stamps.compactMap { period(with: $0) }
    }

    /// Whether two periods differ by no more than an eighth, or another fraction: chips' nominal rates are not exact.
    static func agree(_ first: Int64, _ second: Int64, withinOneIn divisor: Int64 = 8) -> Bool {
        first.subtractingSaturating(second).magnitude <= UInt64(max(first, second, 0) / divisor)
    }
}
