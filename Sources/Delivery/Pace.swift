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

    /// How long after a sample's arrival the source counts as silent, if nothing followed.
    var silenceNanoseconds: Int64 { 2 * (periodNanoseconds ?? 0) + latencyNanoseconds }
}
