internal import Readings

struct RecordedEvent: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        /// A sample, with the device's sequence number.
        case sample(sequence: UInt64, Measurement)
        /// Missing readings; the instants count from the start of the recording.
        indirect case gap(Gap)
        /// The resource's state from here on.
        indirect case state(ResourceState)
        /// The device was opened again, so its sequence numbers restart.
        case opened
        /// The interval from here on, and whether the recorder asked for it or the device has it.
        case interval(nanoseconds: Int64, isDecimated: Bool)
    }

    /// The time since the start of the recording; it never decreases within a track.
    var offsetNanoseconds: Int64
    /// A sample's timestamp since the start of the recording: the same as the offset, unless the device's timestamps
    /// went back.
    var stampNanoseconds: Int64
    var content: Content

    init(_ offsetNanoseconds: Int64, stamp: Int64? = nil, _ content: Content) {
        self.offsetNanoseconds = offsetNanoseconds
        stampNanoseconds = stamp ?? offsetNanoseconds
        self.content = content
    }
}
