/// How a device delivers at present.
public struct Pace: Equatable, Sendable {
    /// From one sample to the next; nil while unknown.
    public var periodNanoseconds: Int64?
    /// How long the device may hold samples back to hand them over at once.
    public var latencyNanoseconds: Int64

    /// A pace of a device.
    public init(periodNanoseconds: Int64?, latencyNanoseconds: Int64 = 0) {
        self.periodNanoseconds = periodNanoseconds
        self.latencyNanoseconds = latencyNanoseconds
    }

    /// What a busy host may make of any wait.
    private static let stallNanoseconds: Int64 = 20_000_000

    /// How long after a sample's arrival the source counts as silent for a lane of an interval, if nothing followed.
    ///
    /// Two periods; not less than a host may stall, though that must not cost more than half an interval.
    func silenceNanoseconds(interval: Int64) -> Int64 {
        let (twoPeriods, overflow) = (periodNanoseconds ?? 0).multipliedReportingOverflow(by: 2)
        let patience = max(overflow ? .max : twoPeriods, min(Self.stallNanoseconds, interval / 2))
        let (sum, overflowed) = patience.addingReportingOverflow(latencyNanoseconds)
        return overflowed ? .max : sum
    }
}
