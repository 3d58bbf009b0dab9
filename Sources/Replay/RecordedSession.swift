internal import Readings

/// One run of a recorder: its clocks.
public struct RecordedSession: Equatable, Sendable {
    /// What both clocks showed at the same instant.
    struct Clocks: Equatable {
        /// CLOCK_BOOTTIME.
        let bootNanoseconds: Int64
        /// The wall clock, microseconds since 1970.
        let utcMicroseconds: Int64
    }

    /// Nil where the recorder did not write that, or did not know the time.
    let clocks: Clocks?
    /// Where its first event is in the recording.
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
