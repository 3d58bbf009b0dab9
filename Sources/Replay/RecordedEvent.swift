public import Readings

/// What a recording says of one resource at one instant.
public struct RecordedEvent: Equatable, Sendable {
    /// What happened.
    public enum Content: Equatable, Sendable {
        /// A sample, by the number that the device gave it.
        case sample(sequence: UInt64, Measurement)
        /// Readings are missing; its instants are from the recording's begin on.
        indirect case gap(Gap)
        /// How the resource is doing from here on.
        indirect case state(ResourceState)
        /// The device was opened anew: numbers begin again.
        case opened
        /// From here on, it delivers at this interval; whether that was the recorder's wish, or the device's pace.
        case interval(nanoseconds: Int64, isDecimated: Bool)
    }

    /// When, from the recording's begin on; it never goes back from one event of a track to the next.
    public var offsetNanoseconds: Int64
    /// The stamp of a sample, from the recording's begin on: the same, save where the device's stamps went back.
    public var stampNanoseconds: Int64
    /// What happened.
    public var content: Content

    init(_ offsetNanoseconds: Int64, stamp: Int64? = nil, _ content: Content) {
        self.offsetNanoseconds = offsetNanoseconds
        stampNanoseconds = stamp ?? offsetNanoseconds
        self.content = content
    }
}
