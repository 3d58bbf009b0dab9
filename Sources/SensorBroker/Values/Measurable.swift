/// A value that a resource of one kind measures: a location or an acceleration.
public protocol Measurable: Equatable, Sendable {
    /// The value of a measurement; nil where it is of another kind.
    init?(_ measurement: Measurement)
}

extension Location: Measurable {
    /// The location of a measurement; nil where it is an acceleration.
    public init?(_ measurement: Measurement) {
        guard case .location(let location) = measurement else { return nil }
        self = location
    }
}

extension Acceleration: Measurable {
    /// The acceleration of a measurement; nil where it is a location.
    public init?(_ measurement: Measurement) {
        guard case .acceleration(let acceleration) = measurement else { return nil }
        self = acceleration
    }
}

extension Reading where Value: Measurable {
    init?(_ measured: Measured) {
        guard let value = Value(measured.measurement) else { return nil }
        self.init(value, of: measured.resource, at: measured.timestamp, sequence: measured.sequence)
    }
}
