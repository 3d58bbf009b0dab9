/// A measured value with its resource and time.
public struct Reading<Value: Sendable>: Sendable {
    /// The resource that was measured.
    public var resource: ResourceName
    /// The device's number of the sample, counted since the device was opened; in a batch, only the first reading has one unless each
    /// sample was asked for.
    public var sequence: Int64?
    /// When it was measured, on CLOCK_BOOTTIME, which never steps.
    public var timestamp: BootTime
    /// The measured value.
    public var value: Value
    /// The clock that it was stamped by, which knows how old it is now.
    package var clock = ReadingClock()

    private enum CodingKeys: CodingKey {
        case resource, sequence, timestamp, value
    }

    /// Creates a reading of a value at an instant.
    public init(_ value: Value, of resource: ResourceName, at timestamp: BootTime, sequence: Int64? = nil) {
        self.value = value
        self.resource = resource
        self.timestamp = timestamp
        self.sequence = sequence
    }

    /// How long before an instant it was measured; never negative.
    public func age(at instant: BootTime) -> Duration { max(.zero, timestamp.duration(to: instant)) }
}

extension Reading: Equatable where Value: Equatable {}

extension Reading: Hashable where Value: Hashable {}

extension Reading: Encodable where Value: Encodable {}

extension Reading: Decodable where Value: Decodable {}

extension Reading: CustomStringConvertible {
    /// The resource and the value.
    public var description: String { "\(resource): \(value)" }
}
