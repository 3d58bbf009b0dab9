internal import Devices
internal import Glibc

/// Numbers at random that a seed and a place decide: the same for the same sample, in whatever order they are asked for.
enum Noise {
    /// Normally distributed with a standard deviation of 1; independent of each other.
    static func normal(_ place: Int64, seed: UInt64) -> SIMD3<Double> {
        let index = UInt64(bitPattern: place) &* 4
        func bits(_ offset: UInt64) -> UInt64 { SplitMix64.number(at: index &+ offset, seed: seed) }
        let first = pair(bits(0), bits(1))
        return SIMD3(first.0, first.1, pair(bits(2), bits(3)).0)
    }

    /// A number from 0 to 1.
    static func fraction(_ place: UInt64, seed: UInt64) -> Double { unit(SplitMix64.number(at: place, seed: seed)) }

    // Box and Muller.
    private static func pair(_ first: UInt64, _ second: UInt64) -> (Double, Double) {
        let radius = (-2 * log(1 - unit(first))).squareRoot()
        let angle = 2 * .pi * unit(second)
        return (radius * cos(angle), radius * sin(angle))
    }

    // Less than 1.
    private static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) / Double(1 << 53) }
}
