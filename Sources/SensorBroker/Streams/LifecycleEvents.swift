/// What happens to a broker's connection and resources, as it happens.
///
/// An iteration begins with what is known already. At most 64 events wait for a slow one; older ones are counted by
/// ``LifecycleEvent/missed(_:)``.
public struct LifecycleEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = LifecycleEvent
    /// It never fails.
    public typealias Failure = Never

    private let session: Session

    init(_ session: Session) { self.session = session }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(source: Source(session)) }

    /// What one iteration listens to, as long as it lives.
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

        /// The next event; nil where the task was cancelled.
        public mutating func next() async -> LifecycleEvent? { await next(isolation: nil) }

        /// The next event; nil where the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> LifecycleEvent? {
            // This mailbox never ends in an error.
            do { return try await source.mailbox.next(isolation: actor) } catch { return nil }
        }
    }
}
