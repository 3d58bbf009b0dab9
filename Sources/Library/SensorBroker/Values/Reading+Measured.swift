extension Reading where Value: Measurable {
    /// The reading of a measurement; nil if that is of another kind.
    init?(_ measured: Measured) {
        guard let value = Value(measured.measurement) else { return nil }
        self.init(value, of: measured.resource, at: measured.timestamp, sequence: measured.sequence)
    }
}
