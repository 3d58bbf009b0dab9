/// What the subscribers of a device need of it together.
public struct Demand: Equatable, Sendable {
    /// The longest sample interval that satisfies everybody; nil where the device's own pace will do.
    public var intervalNanoseconds: Int64?
    /// How long samples may be held back in the device to be handed over at once; 0: not at all.
    public var latencyNanoseconds: Int64

    /// A demand for an interval, with leave to hand samples over in batches.
    public init(intervalNanoseconds: Int64?, latencyNanoseconds: Int64 = 0) {
        self.intervalNanoseconds = intervalNanoseconds
        self.latencyNanoseconds = latencyNanoseconds
    }
}
