/// One measurement of a device, timestamped and numbered at the source.
public struct Sample: Equatable, Sendable {
    /// The sample's number since the device was opened, from 0; a missing number is a lost sample.
    public var sequence: UInt64
    /// When it was measured.
    public var timestamp: BootTime
    /// What was measured.
    @usableFromInline package var measurement: Measurement

    /// Creates a sample with its number, time and content.
    package init(sequence: UInt64, timestamp: BootTime, measurement: Measurement) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.measurement = measurement
    }
}
