public import Platform
public import Readings
internal import Synchronization

/// Where threads announce further resources that they have found; the loop is woken and serves them.
///
/// A repeated announcement does no harm: the loop ignores a name that it serves already.
public final class ResourceArrivals: Sendable {
    private let waiting = Mutex<[ResourceArrival]>([])
    private let wake: WakeEvent

    /// A place with no announcements yet; throws if the process is out of descriptors. `eventfd(2)`
    public init() throws(SystemError) { wake = try WakeEvent() }

    /// Readable when there is an announcement to take; for epoll.
    public var wakeDescriptor: Int32 { wake.descriptor }

    /// Announces a resource to the loop; from any thread.
    public func announce(_ arrival: ResourceArrival) {
        waiting.withLock { $0.append(arrival) }
        wake.ring()
    }

    /// The announcements since the last call, in order; for the loop.
    public func take() -> [ResourceArrival] {
        // Cleared first: an announcement that arrives in between sets it again.
        wake.clear()
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

/// A resource that was found while the daemon was running.
public struct ResourceArrival: Sendable {
    /// The name that clients will use for it.
    public let name: ResourceName
    /// What it measures.
    public let kind: Kind
    /// True if a mock or a replay makes the samples.
    public let isSimulated: Bool
    /// Where its samples come from.
    public let origin: Origin

    /// Where the samples of a resource come from.
    public enum Origin: Sendable {
        /// A device of its own; `start` starts its thread on a channel, and is called once, on the loop's thread.
        case device(start: @Sendable (DeviceChannel) throws(SystemError) -> Void)
        /// The device of another resource, which is served already.
        case deviceOf(ResourceName)
    }

    /// A further resource of a device whose other resource is served already.
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
