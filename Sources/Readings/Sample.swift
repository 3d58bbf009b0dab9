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

/// What a sample says, by the form of its kind.
public enum Measurement: Equatable, Sendable {
    /// Boxed: a location is some 400 bytes and comes once a second, values are 33 and come thousands of times.
    indirect case location(Location)
    /// A number for each channel.
    case values(Values)
    /// Which edge is up.
    case orientation(Orientation)

    /// Values along three axes.
    public static func values(_ vector: Vector<some VectorKind>) -> Self { .values(vector.values) }

    /// The number of a channel; nil where the measurement is no list of numbers.
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
