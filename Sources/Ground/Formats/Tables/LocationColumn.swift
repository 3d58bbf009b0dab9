internal import Readings

/// A field of a location, in a table of another program.
struct LocationColumn: Sendable {
    /// The field.
    let field: LocationField
    /// Other names of the column, in lower case, letters and digits only.
    let otherNames: [String]

    /// All fields.
    static let all = LocationField.all.map { LocationColumn(field: $0, otherNames: otherNamesByField[$0.name] ?? []) }

    var name: String { field.name }

    static let otherNamesByField = [
        "latitudeDegrees": ["latitude", "lat", "latitudens"],
        "longitudeDegrees": ["longitude", "lon", "lng", "long", "longitudeew"],
        "altitudeMeters": [
            "altitude", "alt", "elevation", "ele", "height", "msl", "hmsl", "altmsl", "altitudemsl", "heightmsl",
        ],
        "ellipsoidHeightMeters": ["althae", "hae", "ellipsoidheight", "heightellipsoid"],
        "horizontalErrorMeters": ["eph"],
        "verticalErrorMeters": ["epv"],
        "speedMetersPerSecond": ["speed", "velocity", "groundspeed", "speedoverground", "sog"],
        // Loggers of positions mean the direction of motion by a heading; where a device points is in our `headingDegrees` only.
        "trackDegrees": ["track", "course", "bearing", "heading", "direction", "cog", "courseoverground"],
        "climbMetersPerSecond": ["climb", "climbrate", "verticalspeed"],
        "satellitesUsed": ["satellites", "sat", "sats", "numsat", "numsats", "numsv", "satellitecount"],
        "satellitesVisible": ["satsinview", "satellitesinview"],
        "speedErrorMetersPerSecond": ["eps"],
        "trackErrorDegrees": ["epd"],
        "climbErrorMetersPerSecond": ["epc"],
        "geoidSeparationMeters": ["geoidheight"],
        "horizontalDilution": ["hdop"],
        "verticalDilution": ["vdop"],
        "positionDilution": ["pdop"],
    ]

    /// The names of the column, with what loggers put before them.
    var names: [String] {
        let plain = [ColumnName.plain(name)] + otherNames
        return plain + ["gps", "gnss", "location"].flatMap { prefix in plain.map { prefix + $0 } }
    }

    /// Sets the value; false if the field cannot have it.
    func put(_ value: Double, into location: inout Location) -> Bool {
        guard field.range.contains(value) else { return false }
        field.put(name == "trackDegrees" && value == 360 ? 0 : value, into: &location)
        return true
    }
}
