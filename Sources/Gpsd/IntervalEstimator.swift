/// Learns the receiver's interval from the times of its fixes, which carry no jitter of transport.
struct IntervalEstimator: Sendable {
    /// What a receiver may run at; a longer difference is a pause, one of 0 or less a clock that was set.
    static let plausibleNanoseconds: ClosedRange<Int64> = 5_000_000...60_000_000_000
    private static let agreementWanted = 3

    /// The interval, once three differences in a row agreed on it.
    private(set) var intervalNanoseconds: Int64?
    private var last: FixTime?
    private var candidate: Int64 = 0
    private var agreeing = 0

    /// A new epoch has this time.
    ///
    /// Returns whether the interval became known, or another.
    mutating func take(_ time: FixTime) -> Bool {
        defer { last = time }
        guard let last, let difference = time.nanoseconds(since: last),
            Self.plausibleNanoseconds.contains(difference)
        else {
            agreeing = 0
            return false
        }
        agreeing = Self.agree(candidate, difference) ? agreeing + 1 : 1
        candidate = difference
        guard agreeing >= Self.agreementWanted else { return false }
        if let interval = intervalNanoseconds, Self.agree(interval, difference) { return false }
        intervalNanoseconds = difference
        return true
    }

    /// Times come in milliseconds, so 18 Hz comes as 55 and 56 ms.
    private static func agree(_ one: Int64, _ other: Int64) -> Bool {
        abs(one - other) <= max(2_000_000, one / 100)
    }
}
