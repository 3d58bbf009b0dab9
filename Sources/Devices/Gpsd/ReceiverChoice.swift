internal import Readings

/// Chooses the receiver that readings come from, so that those of two receivers never mix.
///
/// Pure: time is an argument. The first receiver that reports is followed. If it has no fix, it is left for another
/// that has one: at once if it never had a fix, else after three seconds without. If it is silent for three seconds, it
/// is left for any other. A receiver that was given in advance is never left.
struct ReceiverChoice: Sendable {
    /// How long the followed receiver may be silent or without a fix.
    static let patienceNanoseconds: Int64 = 3_000_000_000

    /// The followed receiver.
    private(set) var path: String?
    private let isFixed: Bool
    private var lastReport = BootTime(nanoseconds: 0)
    private var lastFix: BootTime?

    /// Begins without a choice, or with a permanent one.
    init(only path: String? = nil) {
        self.path = path
        isFixed = path != nil
    }

    /// Takes a receiver's report, with a fix or without.
    ///
    /// Returns how to treat the report.
    mutating func take(_ reporter: String, hasFix: Bool, at arrival: BootTime) -> Verdict {
        let verdict = verdict(on: reporter, hasFix: hasFix, at: arrival)
        if verdict == .ignore { return verdict }
        if verdict == .change { lastFix = nil }
        path = reporter
        lastReport = arrival
        if hasFix { lastFix = arrival }
        return verdict
    }

    private func verdict(on reporter: String, hasFix: Bool, at arrival: BootTime) -> Verdict {
        guard let path else { return .change }
        if path == reporter { return .use }
        if isFixed { return .ignore }
        if arrival - lastReport > Self.patienceNanoseconds { return .change }
        guard hasFix else { return .ignore }
        guard let lastFix else { return .change }
        return arrival - lastFix > Self.patienceNanoseconds ? .change : .ignore
    }

    /// How to treat a report.
    enum Verdict: Equatable {
        /// The report comes from the followed receiver.
        case use
        /// The report comes from another receiver.
        case ignore
        /// The report comes from another receiver, which is followed from now on.
        case change
    }
}
