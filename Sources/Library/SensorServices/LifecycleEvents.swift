/// Events of a broker's connection and resources.
///
/// An iteration begins with what is known already. At most 64 events wait for a slow one; ``LifecycleEvent/missed(_:)``
/// counts those that were dropped.
public struct LifecycleEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = LifecycleEvent
    /// The sequence never fails.
    public typealias Failure = Never

    private let listen: @Sendable () -> LifecycleSource

    /// Creates a sequence whose iterations each call this to listen.
    package init(_ listen: @escaping @Sendable () -> LifecycleSource) { self.listen = listen }

    /// Creates a sequence of given events, as a double may return; it then ends.
    public init(_ events: [LifecycleEvent]) {
        self.init {
            let mailbox = Mailbox(LifecycleBuffer(capacity: events.count))
            for event in events { mailbox.put(event) }
            mailbox.finish()
            return LifecycleSource(mailbox)
        }
    }

    /// Starts to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(source: listen()) }

    /// One iteration; it listens as long as it lives.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let source: LifecycleSource

        /// The next event; nil if the task was cancelled.
        public mutating func next() async -> LifecycleEvent? { await next(isolation: nil) }

        /// The next event; nil if the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> LifecycleEvent? {
            // This mailbox never ends in an error.
            do { return try await source.mailbox.next(isolation: actor) } catch { return nil }
        }
    }
}

/// An event of a program's connection to its broker, or of the broker's resources.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum LifecycleEvent: Hashable, Codable, Sendable {
    /// The broker answered.
    case connected
    /// The connection broke, or could not be made.
    case disconnected(SensorError)
    /// The next attempt comes after this time; attempts are counted from 1.
    case reconnecting(after: Duration, attempt: Int)
    /// The broker streams this request again after an absence; the stream itself has the gap.
    case subscriptionRenewed(SensorRequest)
    /// A resource changed its state, or is new.
    case resource(SensorResource)
    /// The host is short of memory: so many unused subscriptions were closed.
    case memoryPressure(released: Int)
    /// The broker shuts down.
    case brokerShutDown
    /// This user may no longer use the broker.
    case permissionLost(SensorError)
    /// This iteration was too slow: so many of the oldest events were dropped.
    case missed(Int)
}

extension LifecycleEvent: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .connected: "connected"
        case .disconnected(let error): "disconnected: \(error)"
        case .reconnecting(let wait, let attempt): "attempt \(attempt) to connect in \(wait.text)"
        case .subscriptionRenewed(let request): "renewed: \(request)"
        case .resource(let resource): "\(resource.name) is \(resource.state)"
        case .memoryPressure(let released): "memory is short: \(released) unused subscriptions released"
        case .brokerShutDown: "the broker shuts down"
        case .permissionLost(let error): "permission lost: \(error)"
        case .missed(let count): "\(count) events were dropped here"
        }
    }
}

/// The mailbox of one iteration; stops listening when the iteration is gone.
package final class LifecycleSource: Sendable {
    package let mailbox: Mailbox<LifecycleBuffer>
    private let onEnd: @Sendable () -> Void

    package init(_ mailbox: Mailbox<LifecycleBuffer>, onEnd: @escaping @Sendable () -> Void = {}) {
        self.mailbox = mailbox
        self.onEnd = onEnd
    }

    deinit { onEnd() }
}
