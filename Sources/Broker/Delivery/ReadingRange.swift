public import Readings

/// The number of readings in a reply, and its first and last: all that the account of each member needs to know of them.
public struct ReadingRange: Equatable, Sendable {
    /// How many.
    public let count: Int
    /// Number and time of the first one.
    let first: Stamp
    /// Number and time of the last one.
    let last: Stamp

    struct Stamp: Equatable {
        let sequence: UInt64
        let timestamp: BootTime

        init(_ reading: Sample) {
            sequence = reading.sequence
            timestamp = reading.timestamp
        }
    }

    /// Readings in order; nil: there are none.
    public init?(_ readings: ArraySlice<Sample>) {
        guard let first = readings.first, let last = readings.last else { return nil }
        count = readings.count
        self.first = Stamp(first)
        self.last = Stamp(last)
    }
}
