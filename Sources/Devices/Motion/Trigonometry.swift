#if canImport(Musl)
    internal import Musl
#elseif canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

extension Double {
    /// The sine of an angle in radians.
    var sine: Double { sin(self) }
    /// The cosine of an angle in radians.
    var cosine: Double { cos(self) }
}

extension SIMD4<Double> {
    /// The sines of four angles in turns, fewer than 2⁵⁰, to 15 digits, as all machines have them; a fifth of the cost of as many
    /// calls of `sin`.
    @inline(__always)
    package var sinesOfTurns: Self { inHalfTurns.sines }

    /// The sines and the cosines of four such angles.
    ///
    /// Not inlined: whoever takes them apart would have each worked out by itself.
    @inline(never)
    var sinesAndCosinesOfTurns: (sines: Self, cosines: Self) {
        let reduced = inHalfTurns
        return (reduced.sines, reduced.cosines)
    }

    /// The nearest whole numbers, of halves the even one, of numbers below 2⁵¹; none is a negative zero.
    @inline(__always)
    package var nearestWhole: Self {
        // What is added leaves no room for a fraction.
        let magic = Self(repeating: 0x1.8p52)
        return (self + magic) - magic
    }

    @inline(__always)
    private var inHalfTurns: ReducedAngles {
        let halves = (self * 2).nearestWhole
        let odd = halves - (halves * 0.5).nearestWhole * 2
        let angles = (self - halves * 0.5) * (2 * .pi)
        return ReducedAngles(radians: angles, squares: angles * angles, signs: 1 - 2 * odd * odd)
    }
}

/// Four angles within a quarter of the nearest half turn; beyond an odd one, sines and cosines have the other sign.
///
/// Each series begins with its end, and has as many terms as a quarter of a turn needs.
private struct ReducedAngles {
    let radians, squares, signs: SIMD4<Double>

    @inline(__always)
    var sines: SIMD4<Double> {
        var series = SIMD4<Double>(repeating: -1 / 121_645_100_408_832_000)
        series = series * squares + 1 / 355_687_428_096_000
        series = series * squares - 1 / 1_307_674_368_000
        series = series * squares + 1 / 6_227_020_800
        series = series * squares - 1 / 39_916_800
        series = series * squares + 1 / 362_880
        series = series * squares - 1 / 5_040
        series = series * squares + 1 / 120
        series = series * squares - 1 / 6
        series = series * squares + 1
        return radians * series * signs
    }

    @inline(__always)
    var cosines: SIMD4<Double> {
        var series = SIMD4<Double>(repeating: 1 / 2_432_902_008_176_640_000)
        series = series * squares - 1 / 6_402_373_705_728_000
        series = series * squares + 1 / 20_922_789_888_000
        series = series * squares - 1 / 87_178_291_200
        series = series * squares + 1 / 479_001_600
        series = series * squares - 1 / 3_628_800
        series = series * squares + 1 / 40_320
        series = series * squares - 1 / 720
        series = series * squares + 1 / 24
        series = series * squares - 1 / 2
        series = series * squares + 1
        return series * signs
    }
}

/// The angle in radians from the x axis to a point, from -π to π.
func arctangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
