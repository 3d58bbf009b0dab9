/// Events of a broker's connection and resources.
///
/// An iteration begins with what is known already. At most 64 events wait for a slow one; ``LifecycleEvent/missed(_:)``
/// counts those that were dropped.
public struct LifecycleEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = LifecycleEvent
    /// It never fails.
    public typealias Failure = Never

    private let session: Session

    init(_ session: Session) { self.session = session }

    /// Starts to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(source: Source(session)) }

    /// The registration of one iteration, for as long as it lives.
    final class Source: Sendable {
        let mailbox = Mailbox(LifecycleBuffer(capacity: 64))
        private let session: Session
        private let id: Int

        init(_ session: Session) {
            self.session = session
            id = session.follow(mailbox)
        }

        deinit { session.unfollow(id) }
    }

    /// One iteration; it listens as long as it lives.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let source: Source

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
public enum LifecycleEvent: Equatable, Sendable {
    /// The broker answered.
    case connected
    /// The connection broke, or could not be made.
    case disconnected(SensorError)
    /// The next attempt comes after this time; attempts are counted from 1.
    case reconnecting(after: Duration, attempt: Int)
    /// The broker streams this request again after an absence; the stream itself has the gap.
    case subscriptionRenewed(SensorRequest)
    /// A resource changed its state, or is new.
    case resource(Resource)
    /// The host is short of memory: so many unused subscriptions were closed.
    case memoryPressure(released: Int)
    /// The broker shuts down.
    case brokerShutDown
    /// This user may no longer use the broker.
    case permissionLost(SensorError)
    /// This iteration was too slow: so many of the oldest events were dropped.
    case missed(Int)
}
