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

    /// An acceleration to a tenth of a thousandth of 1 m/s².
    static func limited(_ value: Acceleration) -> Acceleration {
        Acceleration(x: rounded(value.x, to: 1e4), y: rounded(value.y, to: 1e4), z: rounded(value.z, to: 1e4))
    }

    private static func round(_ value: inout Double?, to steps: Double) { value = value.map { rounded($0, to: steps) } }

    private static func rounded(_ value: Double, to steps: Double) -> Double { (value * steps).rounded() / steps }
}
