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

/// The angle in radians from the x axis to a point, from -π to π.
func arctangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
