internal import Glibc

/// Angles in degrees, of which those that differ by a turn are the same.
package enum Direction {
    /// The equal angle in the turn that begins at `start`: from 0 up to 360, unless another beginning is given.
    package static func turned(_ degrees: Double, from start: Double = 0) -> Double {
        // What is in the turn already would be rounded.
        if degrees >= start, degrees < start + 360 { return degrees }
        let angle = degrees - start
        let turn = angle - 360 * (angle / 360).rounded(.down)
        // An angle just below zero may be rounded up to a whole turn.
        return (turn < 360 ? turn : 0) + start
    }

    /// By how much one is turned from another, from -180 to 180.
    package static func turn(from first: Double, to second: Double) -> Double {
        (second - first).remainder(dividingBy: 360)
    }

    /// The angle at a fraction of the shorter arc from one to another, in the turn that begins at `start`.
    package static func between(
        _ first: Double, _ second: Double, at fraction: Double, from start: Double = 0
    ) -> Double {
        turned(first + turn(from: first, to: second) * fraction, from: start)
    }
}

/// The mean of directions that come one by one, and how far they spread about it.
package struct DirectionMean: Equatable, Sendable {
    /// The sums of their parts to the east and to the north.
    private var sum = SIMD2<Double>.zero
    private var count = 0.0

    package init() {}

    package mutating func add(_ degrees: Double) {
        let radians = degrees * .pi / 180
        sum += SIMD2(sin(radians), cos(radians))
        count += 1
    }

    /// The mean direction, from 0 up to 360; nil if the directions cancel out.
    package var degrees: Double? {
        guard length > 1e-6 * count else { return nil }
        return Direction.turned(atan2(sum.x, sum.y) * 180 / .pi)
    }

    /// The circular standard deviation; nil without a direction.
    package var deviationDegrees: Double? {
        guard count > 0, length > 0 else { return nil }
        return max(0, -2 * log(min(1, length / count))).squareRoot() * 180 / .pi
    }

    private var length: Double { hypot(sum.x, sum.y) }
}
