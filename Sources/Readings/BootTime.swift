/// An instant of CLOCK_BOOTTIME, in nanoseconds since the host started.
///
/// The one clock of samples and schedules: it never steps, and it goes on while the host sleeps. A type of its own, so
/// that wall-clock time cannot be compared with it by accident.
public struct BootTime: Comparable, Hashable, Sendable {
    /// Nanoseconds since the host started.
    public var nanoseconds: Int64

    /// An instant from nanoseconds since the host started.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whether the left instant is the earlier one.
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The earlier of two instants of which either may be missing.
    public static func earlier(_ first: Self?, _ second: Self?) -> Self? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    /// The instant so many nanoseconds later; at the ends of the range it stays there.
    public static func + (instant: Self, nanoseconds: Int64) -> Self {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(nanoseconds)
        return Self(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
    }

    /// The nanoseconds from the right instant to the left one; clamped to what fits.
    public static func - (left: Self, right: Self) -> Int64 {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return overflow ? (left < right ? .min : .max) : difference
    }
}
