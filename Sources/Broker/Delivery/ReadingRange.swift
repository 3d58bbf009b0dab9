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

        init(_ reading: Sample) {
            sequence = reading.sequence
            timestamp = reading.timestamp
        }
    }

    /// Readings in order; nil: there are none.
    public init?(_ readings: SampleList) {
        guard let first = readings.first else { return nil }
        count = readings.count
        self.first = Stamp(first)
        last = count > 1 ? Stamp(readings[readings.endIndex - 1]) : self.first
    }
}
