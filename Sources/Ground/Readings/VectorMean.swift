internal import Glibc

/// The mean of values of one kind that come one by one, by the rule of the kind.
package struct VectorMean: Sendable {
    private let rule: KindRow.Mean
    private var count = 0.0
    private var sum = SIMD4<Double>.zero
    private var directions = DirectionMean()
    private var newest = SIMD4<Double>.zero

    package init(_ rule: KindRow.Mean) { self.rule = rule }

    package mutating func add(_ vector: SIMD4<Double>) {
        newest = vector
        count += 1
        switch rule {
        case .newest: break
        case .arithmetic: sum += vector
        case .circular: directions.add(vector.x)
        // With the sign that is nearer to the sum, since both signs are the same rotation.
        case .spherical: sum += (vector * sum).sum() < 0 ? -vector : vector
        }
    }

    /// The mean; nil where directions or rotations cancel out: then the newest value stands for it.
    package var value: SIMD4<Double>? {
        guard count > 0 else { return nil }
        switch rule {
        case .newest: return nil
        case .arithmetic:
            var mean = newest
            // If no double can hold the sum, the newest stands for the mean.
            for channel in mean.indices where sum[channel].isFinite { mean[channel] = sum[channel] / count }
            return mean
        case .circular: return directions.degrees.map { [$0, 0, 0, 0] }
        case .spherical: return length > 1e-6 * count ? sum / length : nil
        }
    }

    /// How far rotations are from their mean, in radians: the root of the mean square of the angles; nil for other kinds.
    package var spreadRadians: Double? {
        guard case .spherical = rule, count > 0 else { return nil }
        // The length of the mean is the mean cosine of half the angle, 1 - angle²/8 for small ones.
        return (8 * max(0, 1 - length / count)).squareRoot()
    }

    private var length: Double { (sum * sum).sum().squareRoot() }
}
