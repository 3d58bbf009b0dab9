/// The readings of a sensor, for whom gaps and states are no matter.
public struct SensorReadings<Value: Sendable>: AsyncSequence, Sendable {
    /// A reading.
    public typealias Element = Reading<Value>
    /// Why it ends.
    public typealias Failure = SensorError

    private let events: SensorEvents<Value>

    /// The readings among events.
    public init(_ events: SensorEvents<Value>) { self.events = events }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    /// One iteration; it listens as long as it lives.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        var events: SensorEvents<Value>.Iterator

        /// The next reading; nil where the task was cancelled.
        public mutating func next() async throws(SensorError) -> Reading<Value>? { try await next(isolation: nil) }

        /// The next reading; nil where the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> Reading<Value>? {
            while let event = try await events.next(isolation: actor) {
                if case .reading(let reading) = event { return reading }
            }
            return nil
        }
    }
}
