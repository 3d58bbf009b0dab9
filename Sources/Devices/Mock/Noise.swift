internal import Platform

/// Random numbers that depend on a seed and an index only: the same for the same sample, in any order.
enum Noise {
    /// Three independent, normally distributed numbers with a standard deviation of 1, and 0.
    static func normal(_ index: Int64, seed: UInt64) -> SIMD4<Double> {
        let first = UInt64(bitPattern: index) &* 4
        func part(_ offset: UInt64) -> Double { fraction(first &+ offset, seed: seed) }
        return NormalDistribution.quantiles(beyondHalf: SIMD4(part(0), part(1), part(2), 0.5) - 0.5)
    }

    /// A number from 0 to less than 1.
    static func fraction(_ index: UInt64, seed: UInt64) -> Double {
        Double(SplitMix64.number(at: index, seed: seed) >> 11) / Double(1 << 53)
    }
}
