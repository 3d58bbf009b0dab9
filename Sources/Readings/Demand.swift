/// What the subscribers of a device need of it together.
public struct Demand: Equatable, Sendable {
    /// The longest sample interval that satisfies everybody; nil where the device's own pace will do.
    public var intervalNanoseconds: Int64?
    /// How long samples may be held back in the device to be handed over at once; 0: not at all.
    public var latencyNanoseconds: Int64
    /// Which of the device's kinds are wanted; those that it does not have ask nothing of it.
    public var kinds: KindSet

    /// A demand for an interval, with leave to hand samples over in batches, for all that the device measures or for some of it.
    public init(intervalNanoseconds: Int64?, latencyNanoseconds: Int64 = 0, kinds: KindSet = .all) {
        self.kinds = kinds
        self.intervalNanoseconds = intervalNanoseconds
        self.latencyNanoseconds = latencyNanoseconds
    }
}
