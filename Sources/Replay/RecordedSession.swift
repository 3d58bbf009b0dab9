public import Readings

/// One run of the recorder, with its clocks.
public struct RecordedSession: Equatable, Sendable {
    /// The values of both clocks at one instant.
    struct Clocks: Equatable {
        /// CLOCK_BOOTTIME.
        let bootNanoseconds: Int64
        /// The wall clock, microseconds since 1970.
        let utcMicroseconds: Int64
    }

    /// Nil if the recorder did not write them, or did not know the time.
    let clocks: Clocks?
    /// The offset of its first event from the start of the recording.
    let offsetNanoseconds: Int64
    /// CLOCK_BOOTTIME of that event.
    let startNanoseconds: Int64

    /// CLOCK_BOOTTIME of an instant of this session.
    func bootNanoseconds(atOffset offset: Int64) -> Int64 {
        startNanoseconds.addingSaturating(offset.subtractingSaturating(offsetNanoseconds))
    }

    /// UTC of an instant of this session, in microseconds since 1970; clamped to what fits.
    func utcMicroseconds(atOffset offset: Int64) -> Int64? {
        guard let clocks else { return nil }
        let sinceBegin = bootNanoseconds(atOffset: offset).subtractingSaturating(clocks.bootNanoseconds) / 1_000
        return clocks.utcMicroseconds.addingSaturating(sinceBegin)
    }
}

/// An event in the recording of one resource.
public struct RecordedEvent: Equatable, Sendable {
    /// The content of an event.
    public enum Content: Equatable, Sendable {
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
    public var offsetNanoseconds: Int64
    /// A sample's timestamp since the start of the recording: the same as the offset, unless the device's timestamps
    /// went back.
    public var stampNanoseconds: Int64
    /// The content.
    public var content: Content

    init(_ offsetNanoseconds: Int64, stamp: Int64? = nil, _ content: Content) {
        self.offsetNanoseconds = offsetNanoseconds
        stampNanoseconds = stamp ?? offsetNanoseconds
        self.content = content
    }
}
