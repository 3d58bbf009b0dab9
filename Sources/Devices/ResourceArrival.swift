public import Platform
public import Readings

/// A resource that was found while the daemon runs.
public struct ResourceArrival: Sendable {
    /// What clients will name it.
    public let name: ResourceName
    /// What it measures.
    public let kind: Kind
    /// True where a mock or a replay makes the samples.
    public let isSimulated: Bool
    /// Starts its device's thread on a channel; called once, on the loop's thread.
    public let start: @Sendable (DeviceChannel) throws(SystemError) -> Void

    /// A resource, and how to start its device's thread.
    public init(
        name: ResourceName, kind: Kind, isSimulated: Bool,
        start: @escaping @Sendable (DeviceChannel) throws(SystemError) -> Void
    ) {
        self.name = name
        self.kind = kind
        self.isSimulated = isSimulated
        self.start = start
    }
}
