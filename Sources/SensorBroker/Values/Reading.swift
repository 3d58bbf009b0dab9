/// What a sensor measured, where it came from and when.
public struct Reading<Value: Sendable>: Sendable {
    /// The resource that it is of.
    public var resource: ResourceName
    /// The device's number of the sample, counted since it was opened; nil for the later readings of a batch.
    public var sequence: Int64?
    /// When it was measured, on the clock that never steps.
    public var timestamp: BootTime
    /// What was measured.
    public var value: Value

    /// A reading of a value at an instant.
    public init(_ value: Value, of resource: ResourceName, at timestamp: BootTime, sequence: Int64? = nil) {
        self.value = value
        self.resource = resource
        self.timestamp = timestamp
        self.sequence = sequence
    }
}

extension Reading: Equatable where Value: Equatable {}
