/// One run of a recorder: what its first line says of the clocks.
public struct RecordedSession: Equatable, Sendable {
    /// CLOCK_BOOTTIME when it began.
    public let bootNanoseconds: Int64
    /// What the wall clock showed then, microseconds since 1970.
    public let utcMicroseconds: Int64
    /// Where its first event is in the recording.
    public internal(set) var offsetNanoseconds: Int64 = 0
    /// CLOCK_BOOTTIME of that event.
    public internal(set) var startNanoseconds: Int64 = 0

    /// UTC of an instant of this session, in microseconds since 1970; clamped to what fits.
    public func utcMicroseconds(atOffset offset: Int64) -> Int64 {
        let sinceBegin = (startNanoseconds &- bootNanoseconds &+ offset &- offsetNanoseconds) / 1_000
        let (sum, overflow) = utcMicroseconds.addingReportingOverflow(sinceBegin)
        return overflow ? (sinceBegin < 0 ? .min : .max) : sum
    }
}
