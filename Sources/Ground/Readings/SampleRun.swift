/// Samples of one kind of values at one input, numbered one after the other: what a fast device yields at once.
///
/// It means the same as its samples one by one. It costs a fraction of them: times and numbers lie in arrays of their own, and
/// nothing in it has to be counted or released sample by sample.
public struct SampleRun: Equatable, Sendable {
    /// What is measured.
    public let kind: Kind
    private let input: UInt8
    /// The number of the first sample.
    public var firstSequence: UInt64
    private(set) var timestamps: [BootTime] = []
    /// Those of the first sample, in the order of the kind's channels, then those of the second one, and so on.
    private(set) var numbers: [Double] = []
    let channels: Int

    /// A run without samples; the first one gets this number.
    public init(of kind: Kind, from sequence: UInt64 = 0) { self.init(of: Quantity(kind), from: sequence) }

    /// A run without samples of a kind at an input; the first one gets this number, and there is room for so many.
    public init(of quantity: Quantity, from sequence: UInt64 = 0, capacity: Int = 0) {
        (kind, input) = (quantity.kind, quantity.input)
        firstSequence = sequence
        channels = kind.row.channels.count
        timestamps.reserveCapacity(capacity)
        numbers.reserveCapacity(capacity * channels)
    }

    /// A run of samples with these times, and with a number for each channel of each sample.
    public init(of kind: Kind, at timestamps: [BootTime], numbers: [Double]) {
        self.init(of: Quantity(kind), at: timestamps, numbers: numbers)
    }

    /// A run of samples of a kind at an input, with these times, and with a number for each channel of each sample.
    public init(of quantity: Quantity, at timestamps: [BootTime], numbers: [Double]) {
        self.init(of: quantity)
        precondition(numbers.count == timestamps.count * channels, "each sample has a number for each channel")
        self.timestamps = timestamps
        self.numbers = numbers
    }

    /// What is measured, and where.
    public var quantity: Quantity { Quantity(kind, input: input) }

    /// How many samples there are.
    public var count: Int { timestamps.count }

    /// The number of the sample that would follow.
    var endSequence: UInt64 { firstSequence &+ UInt64(count) }

    /// A sample by its place.
    public subscript(place: Int) -> Sample { sample(at: place) }

    @inline(__always)
    private func sample(at place: Int) -> Sample {
        let first = place * channels
        // Most kinds have one or three.
        var vector = SIMD4(numbers[first], 0, 0, 0)
        if channels > 1 { vector.y = numbers[first + 1] }
        if channels > 2 { vector.z = numbers[first + 2] }
        if channels > 3 { vector.w = numbers[first + 3] }
        return Sample(
            sequence: firstSequence &+ UInt64(place), timestamp: timestamps[place],
            measurement: .values(Values(kind, vector, input: input)))
    }

    /// When a sample was measured.
    public func timestamp(at place: Int) -> BootTime { timestamps[place] }

    /// All samples.
    public var samples: [Sample] { timestamps.indices.map { self[$0] } }

    /// How many of the samples at some places come one after the other, at this instant or later and before another one.
    public func countInOrder(_ places: Range<Int>, from earliest: BootTime, before end: BootTime) -> Int {
        let timestamps = timestamps.span
        var previous = earliest
        for place in places {
            let timestamp = timestamps[place]
            guard previous <= timestamp, timestamp < end else { return place - places.lowerBound }
            previous = timestamp
        }
        return places.count
    }

    /// Whether the samples at some places come at least so long one after the other, the first of them after an instant.
    public func isSpaced(_ places: Range<Int>, atLeast nanoseconds: Int64, after instant: BootTime) -> Bool {
        let timestamps = timestamps.span
        var previous = instant
        for place in places {
            let timestamp = timestamps[place]
            guard timestamp - previous >= nanoseconds else { return false }
            previous = timestamp
        }
        return true
    }

    /// Adds the next sample; its values are of the run's kind.
    package mutating func append(_ values: Values, at timestamp: BootTime) {
        assert(values.kind == kind && values.input == input, "a run is of one kind at one input")
        timestamps.append(timestamp)
        for channel in 0..<channels { numbers.append(values[channel]) }
    }

    /// Adds samples of a run of the same quantity, which follow its own.
    mutating func append(_ other: SampleRun, _ places: Range<Int>) {
        assert(other.quantity == quantity, "a run is of one kind at one input")
        timestamps.append(contentsOf: other.timestamps[places])
        numbers.append(contentsOf: other.numbers[places.lowerBound * channels..<places.upperBound * channels])
    }

    /// Removes all samples; their storage stays for the next ones.
    mutating func removeAll(nextSequence: UInt64) {
        timestamps.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        firstSequence = nextSequence
    }

    /// Whether each value of each sample is in its range.
    public var isPossible: Bool { kind.row.arePossible(numbers) }

    /// Removes the oldest samples; the others keep their numbers.
    public mutating func removeFirst(_ count: Int) {
        timestamps.removeFirst(count)
        numbers.removeFirst(count * channels)
        firstSequence &+= UInt64(count)
    }
}

extension [DeviceEvent] {
    /// The same events, with each sample of a run by itself.
    public var apart: [DeviceEvent] {
        flatMap { event in
            if case .run(let run) = event { run.samples.map(DeviceEvent.sample) } else { [event] }
        }
    }
}
