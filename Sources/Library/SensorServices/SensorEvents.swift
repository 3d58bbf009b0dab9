/// A sensor's events in order: readings, gaps, states, grants.
///
/// Each iteration listens from its start to its end, or until its task is cancelled. At most ``capacity`` events wait
/// for a slow one, or two batches if these are longer; then the oldest readings are dropped, and a ``Gap`` with the cause ``Gap/Cause/slowConsumer`` counts
/// them. It throws, and ends, only for an error that waiting cannot cure, and for a resource that the broker does not have, unless
/// the request sets ``SensorRequest/waitsForResource``.
public struct SensorEvents<Value: Sendable>: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = SensorEvent<Value>
    /// Why it ends.
    public typealias Failure = SensorError

    /// How many events wait at most by default.
    public static var capacity: Int { 256 }

    private let listen: @Sendable () -> EventSource<Value>

    /// Creates a sequence whose iterations each call this to listen.
    package init(_ listen: @escaping @Sendable () -> EventSource<Value>) { self.listen = listen }

    /// Creates a sequence of given events, as a mock may return; it then ends, with an error if one is given.
    public init(_ events: [SensorEvent<Value>], endingIn error: SensorError? = nil) {
        self.init {
            let mailbox = Mailbox(EventBuffer<Value>(capacity: events.count))
            for event in events { mailbox.put(event) }
            mailbox.finish(error)
            return EventSource(mailbox)
        }
    }

    /// Starts to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(source: listen()) }

    /// One iteration; it listens as long as it lives.
    ///
    /// Copies of it, in several tasks, share the events: each event goes to one of them, and the end to all.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        package let source: EventSource<Value>
        private var hasFailed = false

        init(source: EventSource<Value>) { self.source = source }

        /// The next event; nil if the task was cancelled.
        public mutating func next() async throws(SensorError) -> SensorEvent<Value>? {
            try await next(isolation: nil)
        }

        /// The next event; nil if the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> SensorEvent<Value>? {
            if hasFailed { return nil }
            do throws(SensorError) { return try await source.mailbox.next(isolation: actor) } catch {
                hasFailed = true
                throw error
            }
        }
    }
}

/// The readings of a sensor, for callers that ignore gaps and states.
public struct SensorReadings<Value: Sendable>: AsyncSequence, Sendable {
    /// A reading.
    public typealias Element = Reading<Value>
    /// Why it ends.
    public typealias Failure = SensorError

    /// The same with gaps and states.
    public let events: SensorEvents<Value>

    /// Creates the sequence of the readings among these events.
    public init(_ events: SensorEvents<Value>) { self.events = events }

    /// Starts to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    /// One iteration; it listens as long as it lives.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        package var events: SensorEvents<Value>.Iterator

        /// The next reading; nil if the task was cancelled.
        public mutating func next() async throws(SensorError) -> Reading<Value>? { try await next(isolation: nil) }

        /// The next reading; nil if the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> Reading<Value>? {
            while let event = try await events.next(isolation: actor) {
                if let reading = event.reading { return reading }
            }
            return nil
        }
    }
}

/// The mailbox of one iteration; stops listening when the iteration is gone.
package final class EventSource<Value: Sendable>: Sendable {
    package let mailbox: Mailbox<EventBuffer<Value>>
    private let onEnd: @Sendable () -> Void

    package init(_ mailbox: Mailbox<EventBuffer<Value>>, onEnd: @escaping @Sendable () -> Void = {}) {
        self.mailbox = mailbox
        self.onEnd = onEnd
    }

    deinit { onEnd() }
}
