internal import Readings

/// Writes paths as GPX 1.1: one track each, with a segment for each unbroken piece.
///
/// Speed and course use Garmin's extension.
public struct GPXWriter {
    /// The document.
    public static func text(_ paths: [WrittenPath], creator: String) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="\(XMLText.escaped(creator))" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">

            """
        for path in paths {
            text += "  <trk>\n    <name>\(XMLText.escaped(path.name))</name>\n"
            for piece in path.positions {
                text += "    <trkseg>\n"
                for point in piece { text += self.text(point) }
                text += "    </trkseg>\n"
            }
            text += "  </trk>\n"
        }
        return text + "</gpx>\n"
    }

    // The order of the elements is that of the schema.
    private static func text(_ point: TimedLocation) -> String {
        guard let position = point.position else { return "" }
        let location = point.location
        let indent = "        "
        var text = "      <trkpt lat=\"\(DecimalNumber.text(position.latitude))\" "
        text += "lon=\"\(DecimalNumber.text(position.longitude))\">\n"
        text += XMLText.element("ele", location.altitudeMeters, indent: indent)
        if let time = point.utcMicroseconds {
            text += "\(indent)<time>\(CalendarTime.text(microseconds: time))</time>\n"
        }
        text += XMLText.element("geoidheight", location.geoidSeparationMeters, indent: indent)
        text += "\(indent)<fix>\(location.fix.rawValue)</fix>\n"
        text += XMLText.element("sat", location.satellitesUsed.map { Double($0) }, indent: indent)
        text += XMLText.element("hdop", location.horizontalDilution, indent: indent)
        text += XMLText.element("vdop", location.verticalDilution, indent: indent)
        text += XMLText.element("pdop", location.positionDilution, indent: indent)
        let motion =
            XMLText.element("gpxtpx:speed", location.speedMetersPerSecond, indent: indent + "    ")
            + XMLText.element("gpxtpx:course", location.trackDegrees, indent: indent + "    ")
        if !motion.isEmpty {
            text += "\(indent)<extensions>\n\(indent)  <gpxtpx:TrackPointExtension>\n\(motion)"
            text += "\(indent)  </gpxtpx:TrackPointExtension>\n\(indent)</extensions>\n"
        }
        return text + "      </trkpt>\n"
    }
}
