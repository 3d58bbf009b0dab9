/// What a device yields: one measurement, stamped and counted at the source.
public struct Sample: Equatable, Sendable {
    /// Counted by the device since it was opened, from 0; a number left out is a sample lost.
    public var sequence: UInt64
    /// When it was measured.
    public var timestamp: BootTime
    /// What was measured.
    public var measurement: Measurement

    /// A sample with its number, time and content.
    public init(sequence: UInt64, timestamp: BootTime, measurement: Measurement) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.measurement = measurement
    }
}
