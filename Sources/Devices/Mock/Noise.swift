internal import Glibc
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

/// The normal distribution with a mean of 0 and a standard deviation of 1.
///
/// Its quantiles are quotients of polynomials, to nine digits (P. J. Acklam, *An algorithm for computing the inverse normal cumulative
/// distribution function*): random ones cost half as much as by a Box–Muller transform, which needs a logarithm and a sine for each.
enum NormalDistribution {
    /// The numbers below which these parts of the distribution lie, counted from its half: each from -0.5 to less than 0.5.
    static func quantiles(beyondHalf parts: SIMD4<Double>) -> SIMD4<Double> {
        let square = parts * parts
        var numerator = square * -39.696_830_286_653_76 + 220.946_098_424_520_5
        numerator = numerator * square - 275.928_510_446_968_7
        numerator = numerator * square + 138.357_751_867_269_0
        numerator = numerator * square - 30.664_798_066_147_16
        numerator = numerator * square + 2.506_628_277_459_239
        var denominator = square * -54.476_098_798_224_06 + 161.585_836_858_040_9
        denominator = denominator * square - 155.698_979_859_886_6
        denominator = denominator * square + 66.801_311_887_719_72
        denominator = denominator * square - 13.280_681_552_885_72
        denominator = denominator * square + 1
        var quantiles = parts * numerator / denominator
        let isTail = square .> 0.475_75 * 0.475_75
        guard any(isTail) else { return quantiles }
        for lane in 0..<4 where isTail[lane] { quantiles[lane] = tail(beyondHalf: parts[lane]) }
        return quantiles
    }

    private static func tail(beyondHalf part: Double) -> Double {
        // What lies further out; the first of 2⁵³ numbers stands for itself and the room up to the second.
        let rest = max(0.5 - part.magnitude, 0x1p-54)
        let root = (-2 * log(rest)).squareRoot()
        var numerator = root * 0.007_784_894_002_430_293 + 0.322_396_458_041_136_5
        numerator = numerator * root + 2.400_758_277_161_838
        numerator = numerator * root + 2.549_732_539_343_734
        numerator = numerator * root - 4.374_664_141_464_968
        numerator = numerator * root - 2.938_163_982_698_783
        var denominator = root * 0.007_784_695_709_041_462 + 0.322_467_129_070_039_8
        denominator = denominator * root + 2.445_134_137_142_996
        denominator = denominator * root + 3.754_408_661_907_416
        denominator = denominator * root + 1
        return Double(signOf: part, magnitudeOf: numerator / denominator)
    }
}
