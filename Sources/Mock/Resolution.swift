internal import Glibc
internal import Readings

/// What a real device's digits are worth: a mock gives no more of them, so that its readings look, and weigh, like real ones.
enum Resolution {
    /// A position to a tenth of a millimetre, all else to a thousandth.
    static func limit(_ location: inout Location) {
        round(&location.latitudeDegrees, to: 1e9)
        round(&location.longitudeDegrees, to: 1e9)
        round(&location.altitudeMeters, to: 1e3)
        round(&location.ellipsoidHeightMeters, to: 1e3)
        round(&location.horizontalErrorMeters, to: 1e3)
        round(&location.verticalErrorMeters, to: 1e3)
        round(&location.speedMetersPerSecond, to: 1e3)
        round(&location.trackDegrees, to: 1e3)
        round(&location.climbMetersPerSecond, to: 1e3)
        // Rounded up from just below north.
        if location.trackDegrees == 360 { location.trackDegrees = 0 }
    }

    /// Values to a digit more than is worth printing: an acceleration to a tenth of a thousandth of 1 m/s².
    static func limited(_ value: SIMD4<Double>, of row: KindRow) -> SIMD4<Double> {
        let steps = SIMD4(repeating: pow(10, Double(row.unit.decimals + 1)))
        return (value * steps).rounded(.toNearestOrAwayFromZero) / steps
    }

    private static func round(_ value: inout Double?, to steps: Double) { value = value.map { rounded($0, to: steps) } }

    private static func rounded(_ value: Double, to steps: Double) -> Double { (value * steps).rounded() / steps }
}
