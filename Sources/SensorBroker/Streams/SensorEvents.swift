/// What a sensor tells, as it comes: readings, gaps, states, grants.
///
/// Each iteration listens from its beginning until it ends, or its task is cancelled. At most ``capacity`` events wait for
/// a slow one; then the oldest readings give way to the newest, and a ``Gap`` of the cause
/// ``Gap/Cause/slowConsumer`` says how many did. It throws only what cannot get better by waiting, and then ends.
public struct SensorEvents<Value: Sendable>: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = SensorEvent<Value>
    /// Why it ends.
    public typealias Failure = SensorError

    /// How many events wait at most, where nothing else is said.
    public static var capacity: Int { 256 }

    private let listen: @Sendable () -> EventSource<Value>

    /// A sequence whose iterations each listen to something.
    package init(_ listen: @escaping @Sendable () -> EventSource<Value>) { self.listen = listen }

    /// A sequence of known events, as a mock of one's own may return; it ends, or ends in an error.
    public init(_ events: [SensorEvent<Value>], endingIn error: SensorError? = nil) {
        self.init {
            let mailbox = Mailbox(EventBuffer<Value>(capacity: events.count))
            for event in events { mailbox.put(event) }
            mailbox.finish(error)
            return EventSource(mailbox)
        }
    }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(source: listen()) }

    /// One iteration; it listens as long as it lives.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let source: EventSource<Value>

        /// The next event; nil where the task was cancelled.
        public mutating func next() async throws(SensorError) -> SensorEvent<Value>? {
            try await source.mailbox.next(isolation: nil)
        }

        /// The next event; nil where the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> SensorEvent<Value>? {
            try await source.mailbox.next(isolation: actor)
        }
    }
}
