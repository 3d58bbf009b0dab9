/// One measurement of a device, timestamped and numbered at the source.
public struct Sample: Equatable, Sendable {
    /// The sample's number since the device was opened, from 0; a missing number is a lost sample.
    public var sequence: UInt64
    /// When it was measured.
    public var timestamp: BootTime
    /// What was measured.
    package var measurement: Measurement

    /// Creates a sample with its number, time and content.
    package init(sequence: UInt64, timestamp: BootTime, measurement: Measurement) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.measurement = measurement
    }
}

extension ArraySlice<Sample> {
    /// The nanoseconds from each sample to the next; nil if one of them does not fit into 32 bits.
    public var steps: [UInt32]? {
        let samples = span
        var steps = [UInt32](repeating: 0, count: Swift.max(0, samples.count - 1))
        for place in steps.indices {
            let step = samples[place + 1].timestamp - samples[place].timestamp
            guard let fitting = UInt32(exactly: step) else { return nil }
            steps[place] = fitting
        }
        return steps
    }

    /// The value of a channel of each sample; 0 for one that does not have it.
    public func numbers(ofChannel channel: Int) -> [Double] {
        // By index in a span, since a loop over the samples would copy each of them.
        let samples = span
        var numbers = [Double](repeating: 0, count: samples.count)
        for place in samples.indices { numbers[place] = samples[place].measurement.number(ofChannel: channel) ?? 0 }
        return numbers
    }
}
