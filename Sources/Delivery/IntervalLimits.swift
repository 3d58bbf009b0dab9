public import Readings

/// The intervals that a resource grants.
public struct IntervalLimits: Equatable, Sendable {
    /// The shortest: what the device can do at best.
    public var minimumNanoseconds: Int64
    /// The longest: a day, since any device can be decimated.
    public var maximumNanoseconds: Int64 { 86_400_000_000_000 }
    /// What is granted where a request names none.
    public var defaultNanoseconds: Int64

    /// The limits of a resource of a kind; the device's own limit is nil as long as it is not known.
    public init(kind: ResourceKind, offered: OfferedIntervals?) {
        let usual: (minimum: Int64, standard: Int64) =
            switch kind {
            case .location: (50_000_000, 1_000_000_000)
            case .acceleration: (1_000_000, 100_000_000)
            }
        minimumNanoseconds = max(1, offered?.shortestNanoseconds ?? usual.minimum)
        defaultNanoseconds = max(minimumNanoseconds, usual.standard)
    }
}
