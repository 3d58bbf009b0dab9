/// Samples of one kind of values, numbered one after the other: what a fast device yields at once.
///
/// It means the same as its samples one by one. It costs a fraction of them, since nothing in it has to be counted or released
/// sample by sample.
public struct SampleRun: Equatable, Sendable {
    /// What is measured.
    public let kind: Kind
    /// The number of the first sample.
    public var firstSequence: UInt64
    private var items: [Item] = []

    private struct Item: Equatable {
        let timestamp: BootTime
        let values: Values
    }

    /// A run without samples; the first one gets this number.
    public init(of kind: Kind, from sequence: UInt64 = 0) {
        self.kind = kind
        firstSequence = sequence
    }

    /// How many samples there are.
    public var count: Int { items.count }

    /// A sample by its place.
    public subscript(place: Int) -> Sample {
        let item = items[place]
        return Sample(
            sequence: firstSequence &+ UInt64(place), timestamp: item.timestamp, measurement: .values(item.values))
    }

    /// When a sample was measured.
    public func timestamp(at place: Int) -> BootTime { items[place].timestamp }

    /// All samples.
    public var samples: [Sample] { items.indices.map { self[$0] } }

    /// Adds the next sample; its values are of the run's kind.
    public mutating func append(_ values: Values, at timestamp: BootTime) {
        assert(values.kind == kind, "a run is of one kind")
        items.append(Item(timestamp: timestamp, values: values))
    }

    /// Makes room for samples.
    public mutating func reserve(_ count: Int) { items.reserveCapacity(count) }

    /// Whether each value of each sample is in its range.
    public var isPossible: Bool {
        let row = kind.row
        return items.allSatisfy { row.isPossible($0.values.vector) }
    }

    /// Removes the oldest samples; the others keep their numbers.
    public mutating func removeFirst(_ count: Int) {
        items.removeFirst(count)
        firstSequence &+= UInt64(count)
    }

    /// Removes all samples.
    public mutating func removeAll() { items.removeAll() }
}

extension [DeviceEvent] {
    /// The same events, with each sample of a run by itself.
    public var apart: [DeviceEvent] {
        flatMap { event in
            if case .run(let run) = event { run.samples.map(DeviceEvent.sample) } else { [event] }
        }
    }
}
