internal import Glibc
internal import Motion
internal import Platform

/// Random numbers that depend on a seed and an index only: the same for the same sample, in any order.
enum Noise {
    /// Three independent, normally distributed numbers with a standard deviation of 1, and 0.
    static func normal(_ place: Int64, seed: UInt64) -> SIMD4<Double> {
        let index = UInt64(bitPattern: place) &* 4
        func part(_ offset: UInt64) -> Double { unit(SplitMix64.number(at: index &+ offset, seed: seed)) }
        // Box–Muller transforms: the cosine and the sine of one angle, and the cosine of another.
        let (first, second) = (radius(part(0)), radius(part(2)))
        let (turns, others) = (part(1), part(3))
        let waves = SIMD4(turns + 0.25, turns, others + 0.25, 0).sinesOfTurns
        return SIMD4(first, first, second, 0) * waves
    }

    /// A number from 0 to 1.
    static func fraction(_ place: UInt64, seed: UInt64) -> Double { unit(SplitMix64.number(at: place, seed: seed)) }

    private static func radius(_ part: Double) -> Double { (-2 * log(1 - part)).squareRoot() }

    // Less than 1.
    private static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) / Double(1 << 53) }
}
