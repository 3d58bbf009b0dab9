/// A value that resources of one kind measure: a location, or a vector such as an acceleration.
public protocol Measurable: Equatable, Sendable {
    /// The value of a measurement; nil where it is of another kind.
    init?(_ measurement: Measurement)
}

extension Location: Measurable {
    /// The location of a measurement; nil where it is of another kind.
    public init?(_ measurement: Measurement) {
        guard case .location(let location) = measurement else { return nil }
        self = location
    }
}

extension Vector: Measurable {}

extension Reading where Value: Measurable {
    init?(_ measured: Measured) {
        guard let value = Value(measured.measurement) else { return nil }
        self.init(value, of: measured.resource, at: measured.timestamp, sequence: measured.sequence)
    }
}
