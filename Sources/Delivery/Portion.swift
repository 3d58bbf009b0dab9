public import Readings

/// How many readings a reply has and where it ends: all that the account of a member needs of it, for each of thousands.
public struct Portion: Equatable, Sendable {
    /// How many.
    public let count: Int
    /// The number of the last one.
    public let sequence: UInt64
    /// The time of the last one.
    public let timestamp: BootTime

    /// A reply's readings, in order; nil: there are none.
    public init?(_ readings: [Sample]) {
        guard let last = readings.last else { return nil }
        count = readings.count
        sequence = last.sequence
        timestamp = last.timestamp
    }
}
