/// The readings of a sensor as they come, with what is missing among them, for callers that ignore states.
///
/// What came together, as a batch does (``SensorRequest/batch``), is one element, with what else has come since the last one.
public struct SensorBatches<Value: Sendable>: AsyncSequence, Sendable {
    /// Readings, oldest first, and gaps.
    public typealias Element = SensorBatch<Value>
    /// Why it ends.
    public typealias Failure = SensorError

    private let events: SensorEvents<Value>

    /// Creates the sequence of the readings and gaps among these events.
    public init(_ events: SensorEvents<Value>) { self.events = events }

    /// Starts to listen.
    public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    /// One iteration; it listens as long as it lives.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        package var events: SensorEvents<Value>.Iterator

        /// The next batch; nil if the task was cancelled.
        public mutating func next() async throws(SensorError) -> SensorBatch<Value>? { try await next(isolation: nil) }

        /// The next batch; nil if the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SensorError) -> SensorBatch<Value>? {
            while let event = try await events.next(isolation: actor) {
                let batch = SensorBatch([event] + events.source.mailbox.takeAll())
                if !batch.isEmpty || !batch.gaps.isEmpty { return batch }
            }
            return nil
        }
    }
}

/// Readings that came together, oldest first, and the gaps among them.
///
/// A batch is a collection of the readings. It is empty if nothing but a gap has come, as when a device is lost.
public struct SensorBatch<Value: Sendable>: RandomAccessCollection, Sendable {
    /// The readings, oldest first.
    public let readings: [Reading<Value>]
    /// What is missing before, between and after the readings, in order.
    public let gaps: [Gap]

    /// Creates a batch, for a double of a sensor.
    public init(_ readings: [Reading<Value>], gaps: [Gap] = []) {
        self.readings = readings
        self.gaps = gaps
    }

    init(_ events: [SensorEvent<Value>]) {
        readings = events.compactMap(\.reading)
        gaps = events.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
    }

    /// The index of the first reading.
    public var startIndex: Int { readings.startIndex }
    /// The index after the last reading.
    public var endIndex: Int { readings.endIndex }

    /// A reading.
    public subscript(position: Int) -> Reading<Value> { readings[position] }
}

extension SensorBatch: Equatable where Value: Equatable {}
