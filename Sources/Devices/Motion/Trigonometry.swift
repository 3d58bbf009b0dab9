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
    package var sinesOfTurns: Self {
        // Within a quarter of the nearest half turn; a sine has the other sign beyond an odd one.
        let halves = (self * 2).nearestWhole
        let odd = halves - (halves * 0.5).nearestWhole * 2
        let angle = (self - halves * 0.5) * (2 * .pi)
        let square = angle * angle
        // The series, from the end on: as many terms as a quarter of a turn needs.
        var series = Self(repeating: -1 / 121_645_100_408_832_000)
        series = series * square + 1 / 355_687_428_096_000
        series = series * square - 1 / 1_307_674_368_000
        series = series * square + 1 / 6_227_020_800
        series = series * square - 1 / 39_916_800
        series = series * square + 1 / 362_880
        series = series * square - 1 / 5_040
        series = series * square + 1 / 120
        series = series * square - 1 / 6
        series = series * square + 1
        return angle * series * (1 - 2 * odd * odd)
    }

    /// The nearest whole numbers, of halves the even one, of numbers below 2⁵¹; none is a negative zero.
    @inline(__always)
    package var nearestWhole: Self {
        // What is added leaves no room for a fraction.
        let magic = Self(repeating: 0x1.8p52)
        return (self + magic) - magic
    }

    /// The cosines of four angles in turns.
    var cosinesOfTurns: Self { (self + 0.25).sinesOfTurns }
}

/// The angle in radians from the x axis to a point, from -π to π.
func arctangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
