/// Passes messages from any thread to one that waits for a descriptor, such as the loop.
public final class WakeQueue<Message: Sendable>: Sendable {
    private let waiting = Locked<[Message]>([])
    private let wake: WakeEvent

    /// An empty one; throws if the process is out of descriptors. `eventfd(2)`
    public init() throws(SystemError) { wake = try WakeEvent() }

    /// Readable when there is a message to take; for epoll.
    public var wakeDescriptor: Int32 { wake.descriptor }

    /// Adds a message; from any thread.
    public func put(_ message: Message) {
        waiting.withLock { $0.append(message) }
        wake.signal()
    }

    /// The messages since the last call, in order.
    public func take() -> [Message] {
        // Cleared first: a message that arrives in between sets it again.
        wake.clear()
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
