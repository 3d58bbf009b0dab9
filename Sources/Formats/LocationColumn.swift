internal import Readings

/// A field of a location, in a table of another program.
struct LocationColumn: Sendable {
    /// The field.
    let field: LocationField
    /// Other names of the column, in lower case, letters and digits only.
    let otherNames: [String]

    /// All fields.
    static let all = LocationField.all.map { LocationColumn(field: $0, otherNames: otherNamesByField[$0.name] ?? []) }

    /// The fields of a position.
    static let position = ["latitudeDegrees", "longitudeDegrees"]

    var name: String { field.name }

    static let otherNamesByField = [
        "latitudeDegrees": ["latitude", "lat"],
        "longitudeDegrees": ["longitude", "lon", "lng", "long"],
        "altitudeMeters": ["altitude", "alt", "elevation", "ele", "height"],
        "ellipsoidHeightMeters": ["althae"],
        "horizontalErrorMeters": ["eph"],
        "verticalErrorMeters": ["epv"],
        "speedMetersPerSecond": ["speed", "velocity"],
        "trackDegrees": ["track", "course", "bearing", "heading"],
        "climbMetersPerSecond": ["climb"],
        "satellitesUsed": ["satellites", "sat", "numsat"],
        "speedErrorMetersPerSecond": ["eps"],
        "trackErrorDegrees": ["epd"],
        "climbErrorMetersPerSecond": ["epc"],
        "geoidSeparationMeters": ["geoidheight"],
        "horizontalDilution": ["hdop"],
        "verticalDilution": ["vdop"],
        "positionDilution": ["pdop"],
    ]

    /// Sets the value; false if the field cannot have it.
    func put(_ value: Double, into location: inout Location) -> Bool {
        guard field.range.contains(value) else { return false }
        field.put(name == "trackDegrees" && value == 360 ? 0 : value, into: &location)
        return true
    }
}
