/// An instant of CLOCK_BOOTTIME, in nanoseconds since the host started.
///
/// All samples and schedules use this clock: it never steps, and it continues while the host sleeps. It is a type of
/// its own, so that wall-clock time cannot be compared with it by accident.
public struct BootTime: Comparable, Hashable, Codable, Sendable {
    /// Nanoseconds since the host started.
    public var nanoseconds: Int64

    /// Creates an instant.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Decodes the nanoseconds.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the nanoseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    /// Whether the left instant is the earlier one.
    @inlinable public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The earlier of two instants, either of which may be nil.
    @inlinable package static func earlier(_ first: Self?, _ second: Self?) -> Self? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    /// A later instant; clamped to the range.
    @inlinable package static func + (instant: Self, nanoseconds: Int64) -> Self {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(nanoseconds)
        return Self(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
    }

    /// The nanoseconds from the right instant to the left one; clamped to the range.
    @inlinable package static func - (left: Self, right: Self) -> Int64 {
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        return overflow ? (left < right ? .min : .max) : difference
    }
}

extension BootTime: InstantProtocol {
    /// The instant after a duration; clamped to the range.
    public func advanced(by duration: Duration) -> Self { self + duration.clampedNanoseconds }

    /// How long another instant is after this one; negative if it is earlier.
    public func duration(to other: Self) -> Duration { .nanoseconds(other - self) }
}

extension BootTime: CustomStringConvertible {
    /// The seconds since the host started, to the microsecond.
    public var description: String { "\(Duration.nanoseconds(nanoseconds).seconds(digits: 6)) s after boot" }
}
