internal import Readings

/// A number of a location, in a table that somebody else wrote.
struct LocationColumn: Sendable {
    /// Which.
    let field: LocationField
    /// Other names for it, in lower case and without anything but letters and digits.
    let otherNames: [String]

    /// All of them.
    static let all = LocationField.all.map { LocationColumn(field: $0, otherNames: otherNamesByField[$0.name] ?? []) }

    /// Those without which there is no position.
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

    /// Puts a value in; false where the field cannot have it.
    func put(_ value: Double, into location: inout Location) -> Bool {
        guard field.range.contains(value) else { return false }
        field.put(name == "trackDegrees" && value == 360 ? 0 : value, into: &location)
        return true
    }
}
