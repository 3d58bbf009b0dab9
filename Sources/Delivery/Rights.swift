public import Readings

/// What one client may read.
public struct Rights: Equatable, Sendable {
    /// The kinds of resources.
    public let kinds: Set<Kind>
    /// No reading comes faster than this; 0: as fast as the device can.
    public let shortestNanoseconds: Int64

    /// Rights to some kinds at no shorter an interval than this.
    public init(kinds: Set<Kind>, shortestNanoseconds: Int64) {
        self.kinds = kinds
        self.shortestNanoseconds = shortestNanoseconds
    }

    /// Nothing at all.
    public static let none = Rights(kinds: [], shortestNanoseconds: 0)

    /// Whether resources of a kind may be read.
    public func mayRead(_ kind: Kind) -> Bool { kinds.contains(kind) }

    /// The limits of a resource for a client with these rights.
    public func applied(to limits: IntervalLimits) -> IntervalLimits {
        guard shortestNanoseconds > limits.minimumNanoseconds else { return limits }
        var limits = limits
        limits.minimumNanoseconds = shortestNanoseconds
        limits.tapNanoseconds = max(limits.tapNanoseconds, shortestNanoseconds)
        limits.defaultNanoseconds = max(limits.defaultNanoseconds, shortestNanoseconds)
        return limits
    }
}
