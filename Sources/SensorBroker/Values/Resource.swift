/// A resource of the host, as its broker tells of it.
public struct Resource: Equatable, Sendable {
    /// What requests call it.
    public var name: ResourceName
    /// What it measures; nil for a kind that is newer than this library.
    public var kind: Kind?
    /// How it is doing.
    public var state: ResourceState
    /// True where a mock or a replay makes the readings.
    public var isSimulated: Bool
    /// The intervals that it can deliver; a request outside is moved to the nearest end.
    public var intervals: ClosedRange<Duration>
    /// What a request without an interval gets.
    public var defaultInterval: Duration
    /// Driver, device node, gpsd device: for people.
    public var description: String?
}
