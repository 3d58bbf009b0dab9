internal import Glibc
internal import Readings

extension Measurement {
    /// The measurement at a fraction of the way from this one to a later one of the same kind; nil: there is nothing between
    /// them.
    ///
    /// Numbers lie on a line, directions on the shorter arc, quaternions on the great circle (slerp). Each field of a
    /// location follows its own rule; a field without a rule, or that is unknown at either end, is unknown.
    func interpolated(to later: Measurement, at fraction: Double) -> Measurement? {
        assert(0...1 ~= fraction, "what is not between two measurements is not interpolated")
        switch (self, later) {
        case (.values(let first), .values(let second)) where first.kind == second.kind:
            return first.interpolated(to: second, at: fraction).map { .values($0) }
        case (.location(let first), .location(let second)):
            return first.interpolated(to: second, at: fraction).map { .location($0) }
        default: return nil
        }
    }
}

extension Values {
    fileprivate func interpolated(to later: Values, at fraction: Double) -> Values? {
        let (first, second) = (vector, later.vector)
        switch kind.row.mean {
        case .newest: return nil
        case .arithmetic: return Values(kind, first + (second - first) * fraction)
        case .circular: return Values(kind, [direction(first.x, second.x, fraction), 0, 0, 0])
        case .spherical: return Values(kind, slerp(first, second, fraction))
        }
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
            case .arithmetic: field.put(first + (second - first) * fraction, into: &between)
            case .longitude: field.put(turned(first, second, fraction, zero: -180), into: &between)
            case .direction: field.put(direction(first, second, fraction), into: &between)
            }
        }
        return between
    }
}

/// A direction in degrees, from 0 up to 360.
private func direction(_ first: Double, _ second: Double, _ fraction: Double) -> Double {
    turned(first, second, fraction, zero: 0)
}

/// An angle in degrees on the shorter arc from one to another, in the turn that begins at `zero`.
private func turned(_ first: Double, _ second: Double, _ fraction: Double, zero: Double) -> Double {
    let angle = first + (second - first).remainderOfTurn * fraction - zero
    let turn = angle - 360 * (angle / 360).rounded(.down)
    // An angle just below zero may be rounded up to a whole turn.
    return (turn < 360 ? turn : 0) + zero
}

extension Double {
    /// The equal angle in degrees that is nearest to 0.
    fileprivate var remainderOfTurn: Double { remainder(dividingBy: 360) }
}

/// Unit quaternions, of which opposite ones are the same rotation.
private func slerp(_ first: SIMD4<Double>, _ second: SIMD4<Double>, _ fraction: Double) -> SIMD4<Double> {
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
