/// The content of a sample, in the form of its kind.
// Of a type that is only `package`, the compiler inlines nothing in other rooms, and does not report that.
@usableFromInline package enum Measurement: Hashable, Sendable {
    /// Indirect, to keep samples small: a location has some 400 bytes and comes once a second, values have 33 bytes and
    /// come thousands of times a second.
    indirect case location(Location)
    /// A number for each channel.
    case values(Values)
    /// Which edge is up.
    case orientation(Orientation)

    /// Values along three axes.
    package static func values(_ vector: Vector<some VectorKind>) -> Self { .values(vector.values) }

    /// The value of a channel; nil if the measurement has no channels.
    // A call would copy the measurement, for each number of a batch.
    @inlinable package func number(ofChannel channel: Int) -> Double? {
        if case .values(let values) = self { values[channel] } else { nil }
    }

    /// What is measured.
    @inlinable package var kind: Kind {
        switch self {
        case .location: .location
        case .values(let values): values.kind
        case .orientation: .orientation
        }
    }
}
