/// A TPV of gpsd as libgps unpacked it: nothing checked yet, NaN where gpsd said nothing.
struct FixReport: Equatable, Sendable {
    /// When the receiver measured; nil where it did not say.
    var time: FixTime?
    /// 0 unseen, 1 no fix, 2 without height, 3 with height; any other number may stand here.
    var mode: Int
    var latitudeDegrees = Double.nan
    var longitudeDegrees = Double.nan
    var altitudeMeters = Double.nan
    var ellipsoidHeightMeters = Double.nan
    var speedMetersPerSecond = Double.nan
    var trackDegrees = Double.nan
    var climbMetersPerSecond = Double.nan
    var speedErrorMetersPerSecond = Double.nan
    var trackErrorDegrees = Double.nan
    var climbErrorMetersPerSecond = Double.nan
    var geoidSeparationMeters = Double.nan
    var velocityNorthMetersPerSecond = Double.nan
    var velocityEastMetersPerSecond = Double.nan
    var velocityDownMetersPerSecond = Double.nan
    var ecefVelocityXMetersPerSecond = Double.nan
    var ecefVelocityYMetersPerSecond = Double.nan
    var ecefVelocityZMetersPerSecond = Double.nan
    var timeErrorSeconds = Double.nan
    /// 0 where gpsd said nothing.
    var leapSeconds = 0
    /// Error along the longitude, metres.
    var eastErrorMeters = Double.nan
    /// Error along the latitude, metres.
    var northErrorMeters = Double.nan
    var horizontalErrorMeters = Double.nan
    var verticalErrorMeters = Double.nan

    init(time: FixTime? = nil, mode: Int) {
        self.time = time
        self.mode = mode
    }
}
