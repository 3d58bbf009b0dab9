internal import Readings

/// How a device delivers at present.
public struct Pace: Equatable, Sendable {
    /// From one sample to the next; nil while unknown.
    public var periodNanoseconds: Int64?
    /// How long the device may hold samples back to deliver them together.
    public var latencyNanoseconds: Int64
    /// How long a busy host may stall a device's thread without this counting as silence.
    ///
    /// The price is that the last reading before a real silence is late by this time. If each stall counted as silence, readings
    /// of a live source would be sent at the wrong due times.
    public var stallNanoseconds: Int64

    /// Whether the samples were already decimated to the period.
    public var isDecimated: Bool

    /// The pace of a device.
    public init(
        periodNanoseconds: Int64?, latencyNanoseconds: Int64 = 0, stallNanoseconds: Int64 = 50_000_000,
        isDecimated: Bool = false
    ) {
        self.isDecimated = isDecimated
        self.periodNanoseconds = periodNanoseconds
        self.latencyNanoseconds = latencyNanoseconds
        self.stallNanoseconds = stallNanoseconds
    }

    /// How long after a sample's arrival the source counts as silent, if nothing followed.
    public var silenceNanoseconds: Int64 {
        let period = periodNanoseconds ?? 0
        return max(period.addingSaturating(period), stallNanoseconds).addingSaturating(latencyNanoseconds)
    }
}
