internal import Readings

/// The mean of samples by the rule of their kind, stamped at their mean time and numbered as the first.
struct Mean {
    private var first: Sample?
    private var count: Int64 = 0
    /// Of the distances to the first sample; an hour of them at 1 kHz is more than 64 bits hold.
    private var elapsed: Int128 = 0
    private var sum = SIMD4<Double>.zero
    private var location: MeanLocation?
    /// Where there is nothing between two values, the newest stands for them.
    private var newest: Measurement?

    mutating func add(_ sample: Sample) {
        let start = first?.timestamp ?? sample.timestamp
        if first == nil { first = sample }
        count += 1
        elapsed += Int128(sample.timestamp - start)
        switch sample.measurement {
        case .values(let values):
            sum += values.vector
            newest = sample.measurement
        case .orientation: newest = sample.measurement
        case .location(let value):
            if location == nil { location = MeanLocation(value) } else { location?.add(value) }
        }
    }

    var sample: Sample? {
        guard let first else { return nil }
        let timestamp = first.timestamp + Int64(clamping: elapsed / Int128(count))
        return Sample(sequence: first.sequence, timestamp: timestamp, measurement: mean ?? first.measurement)
    }

    private var mean: Measurement? {
        if let location { return .location(location.value) }
        guard case .values(let values) = newest, values.kind.row.mean == .arithmetic else { return newest }
        var vector = values.vector
        // The newest stands for a sum that no double holds.
        for channel in vector.indices where sum[channel].isFinite { vector[channel] = sum[channel] / Double(count) }
        return .values(Values(values.kind, vector))
    }
}

/// The mean of the values that are known.
struct RunningMean {
    private var sum = 0.0
    private var count = 0.0

    mutating func add(_ value: Double?) {
        guard let value else { return }
        sum += value
        count += 1
    }

    /// Unknown where no double holds the sum.
    var value: Double? { count > 0 && sum.isFinite ? sum / count : nil }
}
