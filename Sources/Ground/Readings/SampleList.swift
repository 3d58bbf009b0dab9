/// Samples in order, oldest first, or a part of them.
///
/// Samples that follow one another without a missing number stay in the columns of a run, in which a fast device yields them: to make
/// each of them, and columns of them again for a message, takes longer than to write it. All others are kept one by one, and so is a
/// single one, which is what most messages have.
public struct SampleList: RandomAccessCollection, Sendable {
    // One of the two is empty, and keeps little or nothing: a batch may take as much memory as it has readings, and not as much again.
    @usableFromInline var run: SampleRun?
    @usableFromInline var apart: [Sample] = []
    @usableFromInline var bounds = 0..<0

    /// Room for so many samples is kept beside a run, and that of a run beside so many samples.
    private static let fewSamples = 8

    /// Without samples.
    public init() {}

    /// The place of the first one.
    @inlinable public var startIndex: Int { bounds.lowerBound }
    /// The place after the last one.
    @inlinable public var endIndex: Int { bounds.upperBound }

    /// Number and time of a sample, without a copy of the rest of it.
    public func stamp(at place: Int) -> (sequence: UInt64, timestamp: BootTime) {
        precondition(bounds.contains(place), "there is no such sample")
        guard apart.isEmpty, let run else {
            let samples = apart.span
            return (samples[place].sequence, samples[place].timestamp)
        }
        return (run.firstSequence &+ UInt64(place), run.timestamp(at: place))
    }

    /// A sample by its place.
    public subscript(place: Int) -> Sample {
        precondition(bounds.contains(place), "there is no such sample")
        guard apart.isEmpty, let run else { return apart[place] }
        return run[place]
    }

    /// Some of the samples, which keep their places.
    public subscript(places: Range<Int>) -> SampleList {
        precondition(places.isEmpty || bounds.contains(places.lowerBound) && places.upperBound <= bounds.upperBound)
        var part = self
        part.bounds = places
        return part
    }

    /// The run, if the samples are in one.
    @inlinable var inRun: SampleRun? { apart.isEmpty ? run : nil }

    // MARK: what is added

    /// Adds a sample.
    public mutating func append(_ sample: consuming Sample) {
        assert(isWhole, "samples are added to a part")
        if let run, run.count > 0, case .values(let values) = sample.measurement, sample.sequence == run.endSequence,
            sample.measurement.quantity == run.quantity
        {
            self.run?.append(values, at: sample.timestamp)
        } else {
            separate()
            if apart.count == Self.fewSamples { run = nil }
            apart.append(sample)
        }
        bounds = 0..<bounds.upperBound + 1
    }

    /// Adds the samples at some places of a run.
    public mutating func append(_ other: SampleRun, _ places: Range<Int>) {
        assert(isWhole, "samples are added to a part")
        guard !places.isEmpty else { return }
        if isContinued(by: other, from: places.lowerBound) {
            run?.append(other, places)
        } else {
            separate()
            apart += places.lazy.map { other[$0] }
        }
        bounds = 0..<bounds.upperBound + places.count
    }

    /// Removes all samples; their storage stays for the next ones.
    public mutating func removeAll() {
        run?.removeAll(nextSequence: 0)
        apart.removeAll(keepingCapacity: true)
        bounds = 0..<0
    }

    private var isWhole: Bool {
        let inRun = run?.count ?? 0
        return bounds == 0..<inRun + apart.count && (inRun == 0 || apart.isEmpty)
    }

    /// Whether the sample at a place of another run is the next of this one, which begins if there is no sample yet, or one.
    private mutating func isContinued(by other: SampleRun, from place: Int) -> Bool {
        let sequence = other.firstSequence &+ UInt64(place)
        if let run, run.count > 0 { return run.endSequence == sequence && run.quantity == other.quantity }
        guard apart.count <= 1 else { return false }
        // The first of a batch comes by itself, since its time decides when the batch ends.
        guard let first = apart.first else {
            begin(other.quantity, from: sequence)
            return true
        }
        guard case .values(let values) = first.measurement, first.sequence &+ 1 == sequence,
            first.measurement.quantity == other.quantity
        else { return false }
        begin(other.quantity, from: first.sequence)
        run?.append(values, at: first.timestamp)
        return true
    }

    private mutating func begin(_ quantity: Quantity, from sequence: UInt64) {
        apart.removeAll(keepingCapacity: apart.capacity <= Self.fewSamples)
        if run?.quantity == quantity {
            run?.removeAll(nextSequence: sequence)
        } else {
            run = SampleRun(of: quantity, from: sequence)
        }
    }

    /// Keeps each sample by itself from now on.
    private mutating func separate() {
        guard let run, run.count > 0 else { return }
        apart += (0..<run.count).lazy.map { run[$0] }
        self.run = nil
    }
}

extension SampleList: ExpressibleByArrayLiteral {
    /// Samples one by one.
    public init(arrayLiteral samples: Sample...) { self.init(samples) }

    /// Samples one by one.
    public init(_ samples: some Sequence<Sample>) {
        apart = Array(samples)
        bounds = apart.indices
    }
}

extension SampleList: Equatable {
    /// Whether they are the same samples, however they are kept.
    public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

/// Columns, for messages.
extension SampleList {
    /// Where the values of a channel lie in the numbers of a run: from which place on, and how far apart; nil: each sample is kept by
    /// itself.
    public func column(ofChannel channel: Int) -> (numbers: [Double], first: Int, step: Int)? {
        guard let inRun else { return nil }
        return (inRun.numbers, bounds.lowerBound * inRun.channels + channel, inRun.channels)
    }

    /// The value of a channel of a sample; 0 for one that does not have it.
    @inlinable public func number(at place: Int, ofChannel channel: Int) -> Double {
        // Inlined, since a call would copy the sample, for each of its numbers.
        guard apart.isEmpty else { return apart[place].measurement.number(ofChannel: channel) ?? 0 }
        return inRun?[place].measurement.number(ofChannel: channel) ?? 0
    }

    /// When the samples were measured.
    public var timestamps: ArraySlice<BootTime> { inRun?.timestamps[bounds] ?? apart[bounds].map(\.timestamp)[...] }

    /// The nanoseconds from each sample to the next, if they are all the same; nil: they are not, or there are fewer than two.
    public var periodNanoseconds: Int64? {
        guard count > 1 else { return nil }
        let timestamps = timestamps.span
        var previous = timestamps[0].nanoseconds
        let period = timestamps[1].nanoseconds &- previous
        for place in 1..<timestamps.count {
            let timestamp = timestamps[place].nanoseconds
            guard timestamp &- previous == period else { return nil }
            previous = timestamp
        }
        return period
    }

    /// The nanoseconds from each sample to the next; nil if one of them does not fit into 32 bits.
    public var stepsNanoseconds: [UInt32]? {
        let timestamps = timestamps.span
        var steps = [UInt32](repeating: 0, count: Swift.max(0, timestamps.count - 1))
        for place in steps.indices {
            guard let step = UInt32(exactly: timestamps[place + 1] - timestamps[place]) else { return nil }
            steps[place] = step
        }
        return steps
    }
}
