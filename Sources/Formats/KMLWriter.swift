internal import Readings

/// Writes paths as KML 2.2: a folder for each path, and a track with times for each unbroken piece, which Google Earth
/// can play.
public struct KMLWriter {
    /// The document.
    public static func text(_ paths: [WrittenPath]) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
              <Document>

            """
        for path in paths {
            text += "    <Folder>\n      <name>\(XMLText.escaped(path.name))</name>\n"
            for piece in path.positions { text += placemark(piece) }
            text += "    </Folder>\n"
        }
        return text + "  </Document>\n</kml>\n"
    }

    private static func placemark(_ piece: [TimedLocation]) -> String {
        let hasHeights = piece.allSatisfy { $0.location.altitudeMeters != nil }
        let mode = hasHeights ? "absolute" : "clampToGround"
        var text = "      <Placemark>\n        <gx:Track>\n          <altitudeMode>\(mode)</altitudeMode>\n"
        // All positions have times, or none: the two are matched by their order.
        if piece.allSatisfy({ $0.utcMicroseconds != nil }) {
            for point in piece {
                text += "          <when>\(CalendarTime.text(microseconds: point.utcMicroseconds ?? 0))</when>\n"
            }
        }
        for point in piece {
            guard let position = point.position else { continue }
            let numbers = [position.longitude, position.latitude, hasHeights ? point.location.altitudeMeters ?? 0 : 0]
            text += "          <gx:coord>\(numbers.map { DecimalNumber.text($0) }.joined(separator: " "))</gx:coord>\n"
        }
        let others = piece.otherFields
        if !others.isEmpty { text += "          <ExtendedData>\n            <SchemaData>\n" }
        for field in others {
            text += "              <gx:SimpleArrayData name=\"\(field.name)\">\n"
            for value in field.values { text += "                <gx:value>\(value ?? "")</gx:value>\n" }
            text += "              </gx:SimpleArrayData>\n"
        }
        if !others.isEmpty { text += "            </SchemaData>\n          </ExtendedData>\n" }
        return text + "        </gx:Track>\n      </Placemark>\n"
    }
}
