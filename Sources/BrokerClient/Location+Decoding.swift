internal import Readings
internal import Varlink

extension Location {
    /// The location of an object; what is absent is unknown.
    init(_ parameters: Parameters) throws(VarlinkError) {
        self.init(fix: .none)
        utcMicroseconds = try parameters.optionalInteger("utcMicroseconds")
        latitudeDegrees = try parameters.optionalNumber("latitudeDegrees")
        longitudeDegrees = try parameters.optionalNumber("longitudeDegrees")
        altitudeMeters = try parameters.optionalNumber("altitudeMeters")
        ellipsoidHeightMeters = try parameters.optionalNumber("ellipsoidHeightMeters")
        horizontalErrorMeters = try parameters.optionalNumber("horizontalErrorMeters")
        verticalErrorMeters = try parameters.optionalNumber("verticalErrorMeters")
        speedMetersPerSecond = try parameters.optionalNumber("speedMetersPerSecond")
        trackDegrees = try parameters.optionalNumber("trackDegrees")
        climbMetersPerSecond = try parameters.optionalNumber("climbMetersPerSecond")
        speedErrorMetersPerSecond = try parameters.optionalNumber("speedErrorMetersPerSecond")
        trackErrorDegrees = try parameters.optionalNumber("trackErrorDegrees")
        climbErrorMetersPerSecond = try parameters.optionalNumber("climbErrorMetersPerSecond")
        geoidSeparationMeters = try parameters.optionalNumber("geoidSeparationMeters")
        horizontalDilution = try parameters.optionalNumber("horizontalDilution")
        verticalDilution = try parameters.optionalNumber("verticalDilution")
        positionDilution = try parameters.optionalNumber("positionDilution")
        velocityNorthMetersPerSecond = try parameters.optionalNumber("velocityNorthMetersPerSecond")
        velocityEastMetersPerSecond = try parameters.optionalNumber("velocityEastMetersPerSecond")
        velocityDownMetersPerSecond = try parameters.optionalNumber("velocityDownMetersPerSecond")
        ecefVelocityXMetersPerSecond = try parameters.optionalNumber("ecefVelocityXMetersPerSecond")
        ecefVelocityYMetersPerSecond = try parameters.optionalNumber("ecefVelocityYMetersPerSecond")
        ecefVelocityZMetersPerSecond = try parameters.optionalNumber("ecefVelocityZMetersPerSecond")
        timeErrorSeconds = try parameters.optionalNumber("timeErrorSeconds")
        leapSeconds = try parameters.optionalInteger("leapSeconds").map { Int(clamping: $0) }
        satellitesUsed = try parameters.optionalInteger("satellitesUsed").map { Int(clamping: $0) }
        satellitesVisible = try parameters.optionalInteger("satellitesVisible").map { Int(clamping: $0) }
        satellites = try parameters.optionalObjects("satellites")?.map { object throws(VarlinkError) in
            try Satellite(object)
        }
        // A kind of fix that came after this program is worth what it brings.
        fix = try Fix(rawValue: parameters.string("fix")) ?? fixOfContents
    }

    private var fixOfContents: Fix {
        guard latitudeDegrees != nil, longitudeDegrees != nil else { return .none }
        return altitudeMeters == nil && ellipsoidHeightMeters == nil ? .twoDimensional : .threeDimensional
    }
}
