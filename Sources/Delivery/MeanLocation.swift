internal import Glibc
internal import Readings

/// The mean of locations: each field over those in which it is known; angles as directions, longitude across ±180.
///
/// Fixes of different worth do not mix: a 3d fix is not averaged with none, so the newest kind of fix starts anew.
struct MeanLocation {
    private var newest: Location
    private var firstLongitude: Double?
    private var latitude = RunningMean()
    private var longitude = RunningMean()
    private var altitude = RunningMean()
    private var ellipsoidHeight = RunningMean()
    private var horizontalError = RunningMean()
    private var verticalError = RunningMean()
    private var speed = RunningMean()
    private var climb = RunningMean()
    private var speedError = RunningMean()
    private var trackError = RunningMean()
    private var climbError = RunningMean()
    private var geoidSeparation = RunningMean()
    private var velocityNorth = RunningMean()
    private var velocityEast = RunningMean()
    private var velocityDown = RunningMean()
    private var ecefVelocityX = RunningMean()
    private var ecefVelocityY = RunningMean()
    private var ecefVelocityZ = RunningMean()
    private var timeError = RunningMean()
    private var horizontalDilution = RunningMean()
    private var verticalDilution = RunningMean()
    private var positionDilution = RunningMean()
    private var east = RunningMean()
    private var north = RunningMean()
    private var firstUTC: Int64?
    private var utcOffset = RunningMean()

    init(_ location: Location) {
        newest = location
        add(location)
    }

    mutating func add(_ location: Location) {
        guard location.fix == newest.fix else {
            self = MeanLocation(location)
            return
        }
        newest = location
        latitude.add(location.latitudeDegrees)
        addLongitude(location.longitudeDegrees)
        altitude.add(location.altitudeMeters)
        ellipsoidHeight.add(location.ellipsoidHeightMeters)
        horizontalError.add(location.horizontalErrorMeters)
        verticalError.add(location.verticalErrorMeters)
        speed.add(location.speedMetersPerSecond)
        climb.add(location.climbMetersPerSecond)
        speedError.add(location.speedErrorMetersPerSecond)
        trackError.add(location.trackErrorDegrees)
        climbError.add(location.climbErrorMetersPerSecond)
        geoidSeparation.add(location.geoidSeparationMeters)
        velocityNorth.add(location.velocityNorthMetersPerSecond)
        velocityEast.add(location.velocityEastMetersPerSecond)
        velocityDown.add(location.velocityDownMetersPerSecond)
        ecefVelocityX.add(location.ecefVelocityXMetersPerSecond)
        ecefVelocityY.add(location.ecefVelocityYMetersPerSecond)
        ecefVelocityZ.add(location.ecefVelocityZMetersPerSecond)
        timeError.add(location.timeErrorSeconds)
        horizontalDilution.add(location.horizontalDilution)
        verticalDilution.add(location.verticalDilution)
        positionDilution.add(location.positionDilution)
        addTrack(location.trackDegrees)
        addTime(location.utcMicroseconds)
    }

    /// The mean so far; what has no mean, as satellites and leap seconds, is the newest.
    var value: Location {
        var mean = newest
        mean.latitudeDegrees = latitude.value
        mean.longitudeDegrees = longitude.value.map(Self.wrapped)
        mean.altitudeMeters = altitude.value
        mean.ellipsoidHeightMeters = ellipsoidHeight.value
        mean.horizontalErrorMeters = horizontalError.value
        mean.verticalErrorMeters = verticalError.value
        mean.speedMetersPerSecond = speed.value
        mean.climbMetersPerSecond = climb.value
        mean.speedErrorMetersPerSecond = speedError.value
        mean.trackErrorDegrees = trackError.value
        mean.climbErrorMetersPerSecond = climbError.value
        mean.geoidSeparationMeters = geoidSeparation.value
        mean.velocityNorthMetersPerSecond = velocityNorth.value
        mean.velocityEastMetersPerSecond = velocityEast.value
        mean.velocityDownMetersPerSecond = velocityDown.value
        mean.ecefVelocityXMetersPerSecond = ecefVelocityX.value
        mean.ecefVelocityYMetersPerSecond = ecefVelocityY.value
        mean.ecefVelocityZMetersPerSecond = ecefVelocityZ.value
        mean.timeErrorSeconds = timeError.value
        mean.horizontalDilution = horizontalDilution.value
        mean.verticalDilution = verticalDilution.value
        mean.positionDilution = positionDilution.value
        mean.trackDegrees = track
        if let firstUTC, let offset = utcOffset.value {
            let (sum, overflow) = firstUTC.addingReportingOverflow(Int64(exactly: offset.rounded()) ?? 0)
            mean.utcMicroseconds = overflow ? firstUTC : sum
        }
        return mean
    }

    private mutating func addLongitude(_ degrees: Double?) {
        guard let degrees else { return }
        let reference = firstLongitude ?? degrees
        firstLongitude = reference
        longitude.add(reference + Self.wrapped(degrees - reference))
    }

    private mutating func addTrack(_ degrees: Double?) {
        guard let degrees else { return }
        let radians = degrees * .pi / 180
        east.add(sin(radians))
        north.add(cos(radians))
    }

    private mutating func addTime(_ microseconds: Int64?) {
        guard let microseconds else { return }
        let reference = firstUTC ?? microseconds
        firstUTC = reference
        utcOffset.add(Double(microseconds.subtractingReportingOverflow(reference).partialValue))
    }

    /// Unknown where the directions cancel out.
    private var track: Double? {
        guard let east = east.value, let north = north.value, (east * east + north * north) > 1e-12 else { return nil }
        let degrees = atan2(east, north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    private static func wrapped(_ degrees: Double) -> Double {
        if degrees > 180 { return degrees - 360 }
        return degrees < -180 ? degrees + 360 : degrees
    }
}
