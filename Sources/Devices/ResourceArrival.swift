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
    /// Where its samples come from.
    public let origin: Origin

    /// Where the samples of a resource come from.
    public enum Origin: Sendable {
        /// A device of its own, whose thread this starts on a channel; called once, on the loop's thread.
        case device(start: @Sendable (DeviceChannel) throws(SystemError) -> Void)
        /// The device that owns another resource, which is served already.
        case deviceOf(ResourceName)
    }

    /// A further resource of the device that owns another one.
    public init(name: ResourceName, kind: Kind, isSimulated: Bool, ofDeviceOf other: ResourceName) {
        self.name = name
        self.kind = kind
        self.isSimulated = isSimulated
        origin = .deviceOf(other)
    }

    /// A resource, and how to start its device's thread.
    public init(
        name: ResourceName, kind: Kind, isSimulated: Bool,
        start: @escaping @Sendable (DeviceChannel) throws(SystemError) -> Void
    ) {
        self.name = name
        self.kind = kind
        self.isSimulated = isSimulated
        origin = .device(start: start)
    }
}
