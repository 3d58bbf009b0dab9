/// One measurement of a device, timestamped and numbered at the source.
public struct Sample: Equatable, Sendable {
    /// Its number since the device was opened, from 0; a missing number is a lost sample.
    public var sequence: UInt64
    /// When it was measured.
    public var timestamp: BootTime
    /// What was measured.
    public var measurement: Measurement

    /// Creates a sample with its number, time and content.
    public init(sequence: UInt64, timestamp: BootTime, measurement: Measurement) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.measurement = measurement
    }
}

/// The content of a sample, in the form of its kind.
public enum Measurement: Equatable, Sendable {
    /// Indirect, to keep samples small: a location has some 400 bytes and comes once a second, values have 33 bytes and
    /// come thousands of times a second.
    indirect case location(Location)
    /// A number for each channel.
    case values(Values)
    /// Which edge is up.
    case orientation(Orientation)

    /// Values along three axes.
    public static func values(_ vector: Vector<some VectorKind>) -> Self { .values(vector.values) }

    /// The value of a channel; nil if the measurement has no channels.
    public func number(ofChannel channel: Int) -> Double? {
        if case .values(let values) = self { values[channel] } else { nil }
    }

    /// What is measured.
    public var kind: Kind {
        switch self {
        case .location: .location
        case .values(let values): values.kind
        case .orientation: .orientation
        }
    }
}
