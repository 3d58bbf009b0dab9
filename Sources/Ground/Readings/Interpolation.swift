internal import Glibc

// What lies between two measurements: one rule for each kind, that of its mean. Alignment follows it, and so do the tables of
// simulated sensors, so that a heading never turns the long way round and a rotation always is one.

extension Measurement {
    /// The measurement at a fraction of the way from this one to a later one of the same kind; nil: there is nothing between
    /// them.
    ///
    /// Each field of a location follows its own rule; a field without a rule, or that is unknown at either end, is unknown.
    package func interpolated(to later: Measurement, at fraction: Double) -> Measurement? {
        switch (self, later) {
        case (.values(let first), .values(let second)) where first.kind == second.kind:
            return first.kind.row.mean.between(first.vector, second.vector, at: fraction).map { between in
                .values(Values(first.kind, first.kind.row.mean.shortened(between, first.vector, second.vector)))
            }
        case (.location(let first), .location(let second)):
            return first.interpolated(to: second, at: fraction).map { .location($0) }
        default: return nil
        }
    }
}

extension KindRow.Mean {
    /// The values at a fraction of the way from some to others; nil: there is nothing between them.
    ///
    /// Numbers lie on a line, directions on the shorter arc, quaternions on the great circle (slerp).
    package func between(_ first: SIMD4<Double>, _ second: SIMD4<Double>, at fraction: Double) -> SIMD4<Double>? {
        assert(0...1 ~= fraction, "what is not between two measurements is not interpolated")
        switch self {
        case .newest: return nil
        case .arithmetic: return first + (second - first) * fraction
        case .circular: return [Direction.between(first.x, second.x, at: fraction), 0, 0, 0]
        case .spherical: return Self.slerp(first, second, fraction)
        }
    }

    /// The values between two others without the digits that arithmetic alone makes; quaternions keep their length.
    fileprivate func shortened(
        _ between: SIMD4<Double>, _ first: SIMD4<Double>, _ second: SIMD4<Double>
    ) -> SIMD4<Double> {
        guard self != .spherical else { return between }
        var short = between
        for place in between.indices { short[place] = between[place].shortened(first[place], second[place]) }
        return normal(short)
    }

    /// The equal values as they are delivered: a direction from 0 up to 360 degrees, a quaternion of length 1.
    ///
    /// NaN for a quaternion whose length is far from 1: it is no rotation.
    package func normal(_ vector: SIMD4<Double>) -> SIMD4<Double> {
        switch self {
        case .arithmetic, .newest: return vector
        case .circular: return [Direction.turned(vector.x), 0, 0, 0]
        case .spherical:
            let length = (vector * vector).sum().squareRoot()
            return KindRow.lengthsOfRotations.contains(length) ? vector / length : SIMD4(repeating: .nan)
        }
    }

    /// Unit quaternions, of which opposite ones are the same rotation.
    private static func slerp(_ first: SIMD4<Double>, _ second: SIMD4<Double>, _ fraction: Double) -> SIMD4<Double> {
        let cosine = (first * second).sum()
        let near = cosine < 0 ? -second : second
        let angle = acos(min(1, abs(cosine)))
        let sine = sin(angle)
        // If the two are close, a line is as good; and a sine of 0 cannot be divided by.
        let line = first + (near - first) * fraction
        let arc = sine > 1e-6 ? (first * sin((1 - fraction) * angle) + near * sin(fraction * angle)) / sine : line
        let length = (arc * arc).sum().squareRoot()
        return length > 0 ? arc / length : first
    }
}

extension Location {
    /// Fixes of different quality are not mixed.
    fileprivate func interpolated(to later: Location, at fraction: Double) -> Location? {
        guard fix == later.fix, fix != .noPosition else { return nil }
        var between = Location(fix: fix)
        for field in LocationField.all {
            guard let first = field.value(of: self), let second = field.value(of: later) else { continue }
            switch field.mean {
            case .newest: break
            case .arithmetic:
                field.put((first + (second - first) * fraction).shortened(first, second), into: &between)
            case .longitude:
                let degrees = Direction.between(first, second, at: fraction, from: -180).shortened(first, second)
                field.put(degrees < 180 ? degrees : -180, into: &between)
            case .direction:
                let degrees = Direction.between(first, second, at: fraction).shortened(first, second)
                field.put(degrees < 360 ? degrees : 0, into: &between)
            }
        }
        return between
    }
}

extension Double {
    /// A number between two others with as many decimals as twelve digits of the larger one have.
    ///
    /// Sensors have fewer; further ones are made by arithmetic, as in -0.28200000000000003.
    fileprivate func shortened(_ first: Double, _ second: Double) -> Double {
        let largest = max(abs(first), abs(second))
        // Powers of ten up to 22 are exact, so that the quotient is the number that is written with these decimals.
        guard largest > 1e-9, largest < 1e12 else { return self }
        let scale = pow(10, 11 - log10(largest).rounded(.down))
        return (self * scale).rounded() / scale
    }
}
