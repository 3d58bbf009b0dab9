internal import Readings

/// Limits digits to those that a real device would report, so that simulated readings look like real ones and have the
/// same size.
enum Resolution {
    /// Rounds a position to a tenth of a millimetre, everything else to a thousandth.
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
        round(&location.headingDegrees, to: 1e3)
        round(&location.pitchDegrees, to: 1e3)
        round(&location.baselineNorthMeters, to: 1e3)
        round(&location.baselineEastMeters, to: 1e3)
        round(&location.baselineDownMeters, to: 1e3)
        round(&location.baselineHeadingDegrees, to: 1e3)
        // They were rounded up from just below north.
        if location.trackDegrees == 360 { location.trackDegrees = 0 }
        if location.headingDegrees == 360 { location.headingDegrees = 0 }
        if location.baselineHeadingDegrees == 360 { location.baselineHeadingDegrees = 0 }
    }

    private static func round(_ value: inout Double?, to steps: Double) { value = value.map { rounded($0, to: steps) } }

    // No zero is negative.
    private static func rounded(_ value: Double, to steps: Double) -> Double { (value * steps).rounded() / steps + 0 }
}
