/// A measured value with its resource and time.
public struct Reading<Value: Sendable>: Sendable {
    /// The resource that was measured.
    public var resource: ResourceName
    /// The device's number of the sample, counted since the device was opened; nil for the later readings of a batch.
    public var sequence: Int64?
    /// When it was measured, on CLOCK_BOOTTIME, which never steps.
    public var timestamp: BootTime
    /// The measured value.
    public var value: Value

    /// Creates a reading of a value at an instant.
    public init(_ value: Value, of resource: ResourceName, at timestamp: BootTime, sequence: Int64? = nil) {
        self.value = value
        self.resource = resource
        self.timestamp = timestamp
        self.sequence = sequence
    }
}

extension Reading: Equatable where Value: Equatable {}

extension Reading: Hashable where Value: Hashable {}

/// A value that resources of one kind measure: a location, or a vector such as an acceleration.
public protocol Measurable: Equatable, Sendable {
    /// The value of a measurement; nil if it is of another kind.
    init?(_ measurement: Measurement)
}

extension Location: Measurable {
    /// The location of a measurement; nil if it is of another kind.
    public init?(_ measurement: Measurement) {
        guard case .location(let location) = measurement else { return nil }
        self = location
    }
}

/// A value of one kind, whose first resource is the one that is meant if none is named.
public protocol KindMeasurable: Measurable {
    /// The kind.
    static var kind: Kind { get }
}

extension Vector: KindMeasurable {
    /// The kind.
    public static var kind: Kind { Of.kind }
}

extension Scalar: KindMeasurable {
    /// The kind.
    public static var kind: Kind { Of.kind }
}

extension Rotation: KindMeasurable {
    /// The kind.
    public static var kind: Kind { .rotation }
}

extension Proximity: KindMeasurable {
    /// The kind.
    public static var kind: Kind { .proximity }
}

extension Reading where Value: Measurable {
    init?(_ measured: Measured) {
        guard let value = Value(measured.measurement) else { return nil }
        self.init(value, of: measured.resource, at: measured.timestamp, sequence: measured.sequence)
    }
}
