internal import Glibc
internal import Readings

/// The mean of samples by the rule of their kind, stamped at their mean time and numbered as the first.
struct Mean {
    private var first: Sample?
    private var count: Int64 = 0
    /// The sum of the distances to the first sample; after an hour at 1 kHz, 64 bits cannot hold it.
    private var elapsed: Int128 = 0
    private var sum = SIMD4<Double>.zero
    private var location: MeanLocation?
    /// The mean of values between which there is nothing.
    private var newest: Measurement?

    mutating func add(_ sample: Sample) {
        let start = first?.timestamp ?? sample.timestamp
        if first == nil { first = sample }
        count += 1
        elapsed += Int128(sample.timestamp - start)
        switch sample.measurement {
        case .values(let values):
            sum += Self.summand(values, sum)
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
        guard case .values(let values) = newest, let vector = vector(of: values) else { return newest }
        return .values(Values(values.kind, vector))
    }

    /// nil: the newest stands for the mean.
    private func vector(of newest: Values) -> SIMD4<Double>? {
        switch newest.kind.row.mean {
        case .newest: return nil
        case .arithmetic:
            var vector = newest.vector
            // If no double can hold the sum, the newest stands for the mean.
            for channel in vector.indices where sum[channel].isFinite { vector[channel] = sum[channel] / Double(count) }
            return vector
        case .circular:
            // Directions that cancel out have no mean.
            guard hypot(sum.x, sum.y) > 1e-6 * Double(count) else { return nil }
            let degrees = atan2(sum.x, sum.y) * 180 / .pi
            return [degrees < 0 ? degrees + 360 : degrees, 0, 0, 0]
        case .spherical:
            let length = (sum * sum).sum().squareRoot()
            return length > 1e-6 * Double(count) ? sum / length : nil
        }
    }

    /// What a measurement adds to the sum of those before it: itself, a direction as its parts to the east and to the north,
    /// a quaternion with the sign that is nearer to the sum, since both signs are the same rotation.
    private static func summand(_ values: Values, _ sum: SIMD4<Double>) -> SIMD4<Double> {
        let vector = values.vector
        switch values.kind.row.mean {
        case .arithmetic, .newest: return vector
        case .circular: return [sin(vector.x * .pi / 180), cos(vector.x * .pi / 180), 0, 0]
        case .spherical: return (vector * sum).sum() < 0 ? -vector : vector
        }
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
