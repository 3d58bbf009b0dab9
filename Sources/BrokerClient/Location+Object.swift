public import Readings
public import Varlink

extension Location {
    /// The location as the interface has it; what is not known is left out.
    public var object: JSONObject {
        var object: JSONObject = ["fix": .string(fix.rawValue)]
        func put(_ name: String, _ value: Double?) { if let value { _ = object.append(name, .number(value)) } }
        func put(_ name: String, _ value: Int64?) { if let value { _ = object.append(name, .integer(value)) } }
        put("utcMicroseconds", utcMicroseconds)
        put("latitudeDegrees", latitudeDegrees)
        put("longitudeDegrees", longitudeDegrees)
        put("altitudeMeters", altitudeMeters)
        put("ellipsoidHeightMeters", ellipsoidHeightMeters)
        put("horizontalErrorMeters", horizontalErrorMeters)
        put("verticalErrorMeters", verticalErrorMeters)
        put("speedMetersPerSecond", speedMetersPerSecond)
        put("trackDegrees", trackDegrees)
        put("climbMetersPerSecond", climbMetersPerSecond)
        put("speedErrorMetersPerSecond", speedErrorMetersPerSecond)
        put("trackErrorDegrees", trackErrorDegrees)
        put("climbErrorMetersPerSecond", climbErrorMetersPerSecond)
        put("geoidSeparationMeters", geoidSeparationMeters)
        put("horizontalDilution", horizontalDilution)
        put("verticalDilution", verticalDilution)
        put("positionDilution", positionDilution)
        put("satellitesUsed", satellitesUsed.map { Int64($0) })
        put("satellitesVisible", satellitesVisible.map { Int64($0) })
        return object
    }
}
