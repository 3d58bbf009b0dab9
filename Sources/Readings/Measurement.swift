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
