public import Platform
public import Readings
internal import Synchronization

/// Where threads say which further resources they have found; the loop is woken and serves them.
///
/// Saying it again does no harm: a name that is served already is ignored there.
public final class ResourceArrivals: Sendable {
    private let waiting = Mutex<[ResourceArrival]>([])
    private let wake: WakeEvent

    /// A place that nobody has announced anything at; throws where the process is out of descriptors. `eventfd(2)`
    public init() throws(SystemError) { wake = try WakeEvent() }

    /// Readable when there is something to take; for epoll.
    public var wakeDescriptor: Int32 { wake.descriptor }

    /// Tells the loop of a resource; from any thread.
    public func announce(_ arrival: ResourceArrival) {
        waiting.withLock { $0.append(arrival) }
        wake.ring()
    }

    /// What was announced since the last call, in order; for the loop.
    public func take() -> [ResourceArrival] {
        // Cleared first: what arrives in between rings again.
        wake.clear()
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

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
