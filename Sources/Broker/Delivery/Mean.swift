internal import Readings

/// The mean of samples by the rule of their kind, stamped at their mean time and numbered as the first.
struct Mean {
    private var first: Sample?
    private var count: Int64 = 0
    /// The sum of the distances to the first sample; after an hour at 1 kHz, 64 bits cannot hold it.
    private var elapsed: Int128 = 0
    private var values: VectorMean?
    private var location: MeanLocation?
    private var newest: Measurement?

    mutating func add(_ sample: Sample) {
        // Its time and number are those of what it is the mean of.
        if case .location(let value) = sample.measurement, location?.isOf(value.fix) == false { self = Mean() }
        let start = first?.timestamp ?? sample.timestamp
        if first == nil { first = sample }
        count += 1
        elapsed += Int128(sample.timestamp - start)
        newest = sample.measurement
        switch sample.measurement {
        case .values(let added):
            if values == nil { values = VectorMean(added.kind.row.mean) }
            values?.add(added.vector)
        case .orientation: break
        case .location(let value):
            if location == nil { location = MeanLocation(value) } else { location?.add(value) }
        }
    }

    var sample: Sample? {
        guard let first else { return nil }
        let timestamp = first.timestamp + Int64(clamping: elapsed / Int128(count))
        return Sample(sequence: first.sequence, timestamp: timestamp, measurement: mean ?? first.measurement)
    }

    /// What has no mean is the newest.
    private var mean: Measurement? {
        if let location { return .location(location.value) }
        guard case .values(let newest) = newest, let vector = values?.value else { return newest }
        return .values(Values(newest.kind, vector))
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

    /// Unknown if no double can hold the sum.
    var value: Double? { count > 0 && sum.isFinite ? sum / count : nil }
}
