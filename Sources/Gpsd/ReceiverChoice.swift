internal import Readings

/// Decides which of gpsd's receivers the readings come from, so that two never mix.
///
/// Pure: time is an argument. The first one that reports is followed, and left for another that has a fix, when it has
/// none itself: at once if it never had one, else after three seconds without. One that says nothing for three seconds is
/// left for any other. A choice that was made beforehand never changes.
struct ReceiverChoice: Sendable {
    /// How long the followed receiver may be silent or without a fix.
    static let patienceNanoseconds: Int64 = 3_000_000_000

    /// The receiver that is followed.
    private(set) var path: String?
    private let isFixed: Bool
    private var lastReport = BootTime(nanoseconds: 0)
    private var lastFix: BootTime?

    /// No choice yet, or one for ever.
    init(only path: String? = nil) {
        self.path = path
        isFixed = path != nil
    }

    /// A receiver reported a fix or none.
    ///
    /// Returns what to do with its report.
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

    /// What to do with a report.
    enum Verdict: Equatable {
        /// It comes from the receiver that is followed.
        case use
        /// It comes from another one.
        case ignore
        /// It comes from another one, which is followed from now on.
        case change
    }
}
