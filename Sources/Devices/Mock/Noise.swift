internal import Platform

/// Random numbers that depend on a seed and an index only: the same for the same sample, in any order.
enum Noise {
    /// Three independent, normally distributed numbers with a standard deviation of 1, and 0.
    static func normal(_ place: Int64, seed: UInt64) -> SIMD4<Double> {
        let index = UInt64(bitPattern: place) &* 4
        func part(_ offset: UInt64) -> Double { fraction(index &+ offset, seed: seed) }
        return NormalDistribution.quantiles(beyondHalf: SIMD4(part(0), part(1), part(2), 0.5) - 0.5)
    }

    /// A number from 0 to less than 1.
    static func fraction(_ place: UInt64, seed: UInt64) -> Double {
        Double(SplitMix64.number(at: place, seed: seed) >> 11) / Double(1 << 53)
    }
}
