extension Reading where Value: Measurable {
    /// The reading of a measurement; nil if that is of another kind, or incomplete.
    init?(_ measured: Measured) {
        guard let value = Value(MeasuredValue(measured.measurement, with: measured.companions)) else { return nil }
        self.init(value, of: measured.resource, at: measured.timestamp, sequence: measured.sequence)
    }
}

extension Measured {
    /// Whether it is of the right resource for a value of several, of which no more is needed than that all of them are known.
    func isIncomplete<Value: Measurable>(_ type: Value.Type) -> Bool {
        !companionNames.isEmpty && (type as? any Composed.Type)?.companions(of: resource) != nil
    }
}

extension SensorRequest {
    /// The request for values of a type of a resource, with those that they are made of besides.
    init<Value: Measurable>(_ type: Value.Type, of resource: ResourceName, every interval: Duration?) {
        self.init(resource)
        self.interval = interval
        ask(for: type)
    }

    /// Asks for what a value of a type is made of besides the resource.
    mutating func ask<Value: Measurable>(for type: Value.Type) {
        companions = (type as? any Composed.Type)?.companions(of: resource) ?? []
    }
}
