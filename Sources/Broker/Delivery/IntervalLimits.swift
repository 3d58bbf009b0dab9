public import Readings

/// The intervals that a resource grants.
public struct IntervalLimits: Equatable, Sendable {
    /// The shortest: what the device can do at best, or what is allowed.
    public var minimumNanoseconds: Int64
    /// The longest: a day, since any device can be decimated.
    public var maximumNanoseconds: Int64 { 86_400_000_000_000 }
    /// The interval granted to a request that names none.
    public var defaultNanoseconds: Int64
    /// The interval granted to a request for every sample: all samples, unless they may come faster than is allowed.
    public var tapNanoseconds: Int64 = 0

    /// The limits of a resource of a kind; the device's own limit is nil as long as it is not known.
    public init(kind: Kind, offered: OfferedIntervals?, policy: IntervalPolicy = IntervalPolicy()) {
        minimumNanoseconds = max(1, offered?.shortestNanoseconds ?? kind.row.shortestNanoseconds)
        if let allowed = policy.minimumNanoseconds, allowed > minimumNanoseconds {
            minimumNanoseconds = allowed
            tapNanoseconds = allowed
        }
        defaultNanoseconds = max(minimumNanoseconds, policy.defaultNanoseconds ?? kind.row.standardNanoseconds)
    }

    /// These limits for a client that may get no reading faster than this; 0: as fast as the device can.
    public func raised(to shortestNanoseconds: Int64) -> IntervalLimits {
        guard shortestNanoseconds > minimumNanoseconds else { return self }
        var limits = self
        limits.minimumNanoseconds = shortestNanoseconds
        limits.tapNanoseconds = max(tapNanoseconds, shortestNanoseconds)
        limits.defaultNanoseconds = max(defaultNanoseconds, shortestNanoseconds)
        return limits
    }
}

/// The intervals that an administrator has configured for a kind, if they differ from what the devices suggest.
public struct IntervalPolicy: Equatable, Sendable {
    /// No reading comes faster than this; nil: as fast as the device can.
    public var minimumNanoseconds: Int64?
    /// The interval granted to a request that names none; nil: the usual one of the kind.
    public var defaultNanoseconds: Int64?

    /// A policy; nil leaves things as they are.
    public init(minimumNanoseconds: Int64? = nil, defaultNanoseconds: Int64? = nil) {
        self.minimumNanoseconds = minimumNanoseconds
        self.defaultNanoseconds = defaultNanoseconds
    }
}
