/// A resource of the host, as its broker describes it.
public struct SensorResource: Hashable, Codable, Sendable {
    /// The name that requests use.
    public var name: ResourceName
    /// What it measures; nil for a kind that this library does not know.
    public var kind: Kind?
    /// The resource's state.
    public var state: ResourceState
    /// True if its readings come from a mock or a recording.
    public var isSimulated: Bool
    /// The intervals that it can deliver; a request outside of them is moved to the nearest end.
    public var intervals: ClosedRange<Duration>
    /// The interval of a request that does not name one.
    public var defaultInterval: Duration
    /// Driver, device node or receiver, for people to read.
    public var device: String?

    /// Creates a description of a resource, for a double of a broker.
    public init(
        name: ResourceName, kind: Kind?, state: ResourceState, isSimulated: Bool = false,
        intervals: ClosedRange<Duration>, defaultInterval: Duration, device: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.state = state
        self.isSimulated = isSimulated
        self.intervals = intervals
        self.defaultInterval = defaultInterval
        self.device = device
    }
}

extension SensorResource: CustomStringConvertible {
    /// The name, state and device, in one line: `accelerometer is active: simulated accelerometer`.
    public var description: String {
        let what = "\(name) is \(state)"
        return device.map { "\(what): \($0)" } ?? what
    }
}
