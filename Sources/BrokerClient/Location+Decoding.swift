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
        satellitesUsed = try parameters.optionalInteger("satellitesUsed").map { Int(clamping: $0) }
        satellitesVisible = try parameters.optionalInteger("satellitesVisible").map { Int(clamping: $0) }
        // A kind of fix that came after this program is worth what it brings.
        fix = try Fix(rawValue: parameters.string("fix")) ?? fixOfContents
    }

    private var fixOfContents: Fix {
        guard latitudeDegrees != nil, longitudeDegrees != nil else { return .none }
        return altitudeMeters == nil && ellipsoidHeightMeters == nil ? .twoDimensional : .threeDimensional
    }
}
