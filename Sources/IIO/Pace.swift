internal import Readings

/// How fast a device runs.
struct Pace: Equatable {
    private let claimedNanoseconds: Int64
    /// The same as the device itself says it; nil where it does not.
    let reportedNanoseconds: Int64?
    /// What its stamps have shown instead, where that is something else.
    var measuredNanoseconds: Int64?

    /// For devices that set their own pace and do not say which.
    static let guessNanoseconds: Int64 = 10_000_000
    /// For devices that must be told a pace when nobody asks for one.
    static let unaskedNanoseconds: Int64 = 100_000_000

    /// Nanoseconds from sample to sample, as far as anybody knows: for sizes, spacing and waiting.
    var intervalNanoseconds: Int64 { measuredNanoseconds ?? claimedNanoseconds }

    /// What clients are told: what is measured, else what the device says.
    var toldNanoseconds: Int64? { measuredNanoseconds ?? reportedNanoseconds }

    /// Whether another pace was set: what was measured says nothing about that.
    func isSet(as other: Pace) -> Bool {
        claimedNanoseconds == other.claimedNanoseconds && reportedNanoseconds == other.reportedNanoseconds
    }

    /// Takes in a measured period; returns whether that is news.
    mutating func learn(_ period: Int64) -> Bool {
        // What was found to be wrong must come closer before it is believed again: about the limit nothing flutters.
        let divisor: Int64 = measuredNanoseconds == nil ? 8 : 16
        let isAsClaimed = reportedNanoseconds.map { PaceMeter.agree($0, period, withinOneIn: divisor) } ?? false
        let isKnown = measuredNanoseconds.map { PaceMeter.agree($0, period) } ?? false
        guard isAsClaimed ? measuredNanoseconds != nil : !isKnown else { return false }
        measuredNanoseconds = isAsClaimed ? nil : period
        return true
    }

    /// What was set, and what the device made of it.
    init(wanted: SamplingRate?, reported: SamplingRate?) {
        reportedNanoseconds = reported?.intervalNanoseconds
        claimedNanoseconds = (reported ?? wanted)?.intervalNanoseconds ?? Self.guessNanoseconds
    }
}
