internal import Readings

/// GPX 1.1: one track for each path, with a segment for each unbroken piece.
///
/// Speed and course use Garmin's extension.
struct GPXFormat: PathFormat {
    let creator: String

    func begin(_ text: inout ColumnedText) {
        text.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="\(XMLText.escaped(creator))" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">

            """)
    }

    func beginPath(_ name: String, _ text: inout ColumnedText) {
        text.write("  <trk>\n    <name>\(XMLText.escaped(name))</name>\n")
    }

    func beginPiece(_ text: inout ColumnedText) { text.write("    <trkseg>\n") }

    func add(_ location: Location, at place: Coordinate, _ text: inout ColumnedText) {
        text.write(Self.text(location, at: place))
    }

    func endPiece(_ text: inout ColumnedText) { text.write("    </trkseg>\n") }

    func endPath(_ text: inout ColumnedText) { text.write("  </trk>\n") }

    func end(_ text: inout ColumnedText) { text.write("</gpx>\n") }

    // The order of the elements is that of the schema.
    private static func text(_ location: Location, at place: Coordinate) -> String {
        let indent = "        "
        var text = "      <trkpt lat=\"\(DecimalNumber.text(place.latitudeDegrees))\" "
        text += "lon=\"\(DecimalNumber.text(place.longitudeDegrees))\">\n"
        text += XMLText.element("ele", location.altitudeMeters, indent: indent)
        if let time = location.utcMicroseconds {
            text += "\(indent)<time>\(CalendarTime.text(microseconds: time))</time>\n"
        }
        text += XMLText.element("geoidheight", location.geoidSeparationMeters, indent: indent)
        text += "\(indent)<fix>\(Self.fix(location))</fix>\n"
        text += XMLText.element("sat", location.satellitesUsed.map { Double($0) }, indent: indent)
        text += XMLText.element("hdop", location.horizontalDilution, indent: indent)
        text += XMLText.element("vdop", location.verticalDilution, indent: indent)
        text += XMLText.element("pdop", location.positionDilution, indent: indent)
        text += XMLText.element("ageofdgpsdata", location.correctionAgeSeconds, indent: indent)
        // The schema has ten bits for it.
        let station = location.correctionStation.flatMap { $0 < 1_024 ? Double($0) : nil }
        text += XMLText.element("dgpsid", station, indent: indent)
        let motion =
            XMLText.element("gpxtpx:speed", location.speedMetersPerSecond, indent: indent + "    ")
            + XMLText.element("gpxtpx:course", location.trackDegrees, indent: indent + "    ")
        if !motion.isEmpty {
            text += "\(indent)<extensions>\n\(indent)  <gpxtpx:TrackPointExtension>\n\(motion)"
            text += "\(indent)  </gpxtpx:TrackPointExtension>\n\(indent)</extensions>\n"
        }
        return text + "      </trkpt>\n"
    }

    /// GPX has one word for the dimensions of a fix and for its quality.
    private static func fix(_ location: Location) -> String {
        let word = location.fix.rawValue
        return location.fix == .noPosition ? word : FixQuality(location).gpx ?? word
    }
}

extension PathWriter {
    /// Begins a GPX file, with the name of the program that makes it.
    public static func gpx(creator: String) -> Self { Self(GPXFormat(creator: creator)) }
}
