public import Readings

/// The number of readings in a reply, and its first and last: all that the account of each member needs to know of them.
public struct ReadingRange: Equatable, Sendable {
    /// How many.
    public let count: Int
    /// Number and time of the first one.
    @usableFromInline let first: Stamp
    /// Number and time of the last one.
    @usableFromInline let last: Stamp

    @usableFromInline
    struct Stamp: Equatable, Sendable {
        @usableFromInline let sequence: UInt64
        @usableFromInline let timestamp: BootTime

        init(_ reading: Sample) { self.init((reading.sequence, reading.timestamp)) }

        init(_ stamp: (sequence: UInt64, timestamp: BootTime)) { (sequence, timestamp) = stamp }
    }

    /// Readings in order; nil: there are none.
    public init?(_ readings: borrowing SampleList) {
        count = readings.count
        guard count > 0 else { return nil }
        first = Stamp(readings.stamp(at: readings.startIndex))
        last = count > 1 ? Stamp(readings.stamp(at: readings.endIndex - 1)) : first
    }
}
