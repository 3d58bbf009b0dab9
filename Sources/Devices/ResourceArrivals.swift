public import Platform
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
