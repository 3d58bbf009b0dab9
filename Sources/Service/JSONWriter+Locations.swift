internal import Readings
internal import Varlink

/// Locations as the interface has them.
extension JSONWriter {
    /// A location, of its satellites their numbers or each of them.
    mutating func location(_ location: Location, withSatellites: Bool) {
        beginObject()
        member("fix", location.fix.rawValue)
        member("utcMicroseconds", location.utcMicroseconds)
        member("latitudeDegrees", location.latitudeDegrees)
        member("longitudeDegrees", location.longitudeDegrees)
        member("altitudeMeters", location.altitudeMeters)
        member("ellipsoidHeightMeters", location.ellipsoidHeightMeters)
        member("horizontalErrorMeters", location.horizontalErrorMeters)
        member("verticalErrorMeters", location.verticalErrorMeters)
        member("speedMetersPerSecond", location.speedMetersPerSecond)
        member("trackDegrees", location.trackDegrees)
        member("climbMetersPerSecond", location.climbMetersPerSecond)
        member("speedErrorMetersPerSecond", location.speedErrorMetersPerSecond)
        member("trackErrorDegrees", location.trackErrorDegrees)
        member("climbErrorMetersPerSecond", location.climbErrorMetersPerSecond)
        member("geoidSeparationMeters", location.geoidSeparationMeters)
        member("horizontalDilution", location.horizontalDilution)
        member("verticalDilution", location.verticalDilution)
        member("positionDilution", location.positionDilution)
        member("velocityNorthMetersPerSecond", location.velocityNorthMetersPerSecond)
        member("velocityEastMetersPerSecond", location.velocityEastMetersPerSecond)
        member("velocityDownMetersPerSecond", location.velocityDownMetersPerSecond)
        member("ecefVelocityXMetersPerSecond", location.ecefVelocityXMetersPerSecond)
        member("ecefVelocityYMetersPerSecond", location.ecefVelocityYMetersPerSecond)
        member("ecefVelocityZMetersPerSecond", location.ecefVelocityZMetersPerSecond)
        member("timeErrorSeconds", location.timeErrorSeconds)
        member("leapSeconds", location.leapSeconds.map { Int64($0) })
        member("satellitesUsed", location.satellitesUsed.map { Int64($0) })
        member("satellitesVisible", location.satellitesVisible.map { Int64($0) })
        if withSatellites, let satellites = location.satellites { self.satellites(satellites) }
        endObject()
    }

    private mutating func satellites(_ satellites: [Satellite]) {
        key("satellites")
        beginArray()
        for satellite in satellites {
            beginObject()
            member("prn", Int64(satellite.prn))
            member("system", satellite.system?.rawValue)
            member("systemNumber", satellite.systemNumber.map { Int64($0) })
            member("elevationDegrees", satellite.elevationDegrees)
            member("azimuthDegrees", satellite.azimuthDegrees)
            member("signalDecibelHertz", satellite.signalDecibelHertz)
            member("used", satellite.isUsed)
            endObject()
        }
        endArray()
    }
}
