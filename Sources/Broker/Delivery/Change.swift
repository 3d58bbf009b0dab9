internal import Glibc
internal import Readings

/// How much two measurements differ, by the rule of their kind: a distance in metres along the ellipsoid, the length of the
/// difference, or an angle.
enum Change {
    /// Infinite if the two cannot be compared, such as a fix with no fix: such a change always counts.
    static func between(_ first: Measurement, _ second: Measurement) -> Double {
        switch (first, second) {
        case (.values(let first), .values(let second)) where first.kind == second.kind:
            return amount(from: first.vector, to: second.vector, by: first.kind.row.change)
        case (.location(let first), .location(let second)):
            return first.distance(to: second)
        default:
            return first == second ? 0 : .infinity
        }
    }

    private static func amount(
        from first: SIMD4<Double>, to second: SIMD4<Double>, by rule: KindRow.Change
    ) -> Double {
        switch rule {
        case .normOrSwitch where first.x != second.x: return .infinity
        case .norm, .normOrSwitch:
            let difference = second - first
            return (difference * difference).sum().squareRoot()
        case .direction:
            let turn = (second.x - first.x).magnitude.truncatingRemainder(dividingBy: 360)
            return min(turn, 360 - turn)
        case .rotation:
            // Opposite quaternions are the same rotation. The sine is exact where the angle is small, which the cosine is not.
            let cosine = (first * second).sum()
            let difference = second - first * (cosine < 0 ? -1 : 1)
            return 4 * asin(min((difference * difference).sum().squareRoot() / 2, 1))
        case .greatCircle, .any: return first == second ? 0 : .infinity
        }
    }
}
