public import Delivery

/// The configuration for the resources of a kind.
public struct ResourcePolicy: Equatable, Sendable {
    /// How long a device that nobody uses is kept open.
    public var warmGraceNanoseconds: Int64
    /// Which intervals are granted.
    public var intervals: IntervalPolicy

    /// A policy.
    public init(warmGraceNanoseconds: Int64, intervals: IntervalPolicy) {
        self.warmGraceNanoseconds = warmGraceNanoseconds
        self.intervals = intervals
    }
}
