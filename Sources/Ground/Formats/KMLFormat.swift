internal import Readings

/// KML 2.2: a folder for each path, and a track with times for each unbroken piece, which Google Earth can play.
struct KMLFormat: PathFormat {
    private enum Column {
        static let times = 0
        static let positions = 1
        static let grounds = 2
        static let fields = 3
    }

    private static let indent = String(repeating: " ", count: 10)

    private var count = 0
    private var hasTimes = true
    private var hasHeights = true
    private var fields = LocationField.besidePlace.indices.map { index in
        FilledColumn(Column.fields + index, unknown: Self.value(""), separator: "")
    }

    func begin(_ text: inout ColumnedText) {
        text.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
              <Document>

            """)
    }

    func beginPath(_ name: String, _ text: inout ColumnedText) {
        text.write("    <Folder>\n      <name>\(XMLText.escaped(name))</name>\n")
    }

    mutating func beginPiece(_ text: inout ColumnedText) { (count, hasTimes, hasHeights) = (0, true, true) }

    mutating func add(_ location: Location, at place: Coordinate, _ text: inout ColumnedText) {
        // All positions have times, or none: the two are matched by their order. With heights it is the same.
        if let time = location.utcMicroseconds {
            text.put("\(Self.indent)<when>\(CalendarTime.text(microseconds: time))</when>\n", in: Column.times)
        } else {
            hasTimes = false
        }
        let ground = [place.longitudeDegrees, place.latitudeDegrees].map { DecimalNumber.text($0) }
            .joined(separator: " ")
        text.put("\(Self.indent)<gx:coord>\(ground) 0</gx:coord>\n", in: Column.grounds)
        if let height = location.altitudeMeters {
            text.put(
                "\(Self.indent)<gx:coord>\(ground) \(DecimalNumber.text(height))</gx:coord>\n", in: Column.positions)
        } else {
            hasHeights = false
        }
        for (index, field) in LocationField.besidePlace.enumerated() {
            guard let value = field.value(of: location) else { continue }
            fields[index].put(Self.value(field.word(of: value) ?? DecimalNumber.text(value)), of: count, &text)
        }
        count += 1
    }

    mutating func endPiece(_ text: inout ColumnedText) {
        let mode = hasHeights ? "absolute" : "clampToGround"
        text.write("      <Placemark>\n        <gx:Track>\n\(Self.indent)<altitudeMode>\(mode)</altitudeMode>\n")
        if hasTimes { text.writeColumn(Column.times) } else { text.forget(Column.times) }
        text.writeColumn(hasHeights ? Column.positions : Column.grounds)
        text.forget(hasHeights ? Column.grounds : Column.positions)
        if fields.contains(where: { !$0.isEmpty }) {
            text.write("\(Self.indent)<ExtendedData>\n\(Self.indent)  <SchemaData>\n")
            for (index, field) in LocationField.besidePlace.enumerated() where !fields[index].isEmpty {
                text.write("\(Self.indent)    <gx:SimpleArrayData name=\"\(field.name)\">\n")
                fields[index].write(count, &text)
                text.write("\(Self.indent)    </gx:SimpleArrayData>\n")
            }
            text.write("\(Self.indent)  </SchemaData>\n\(Self.indent)</ExtendedData>\n")
        }
        text.write("        </gx:Track>\n      </Placemark>\n")
    }

    func endPath(_ text: inout ColumnedText) { text.write("    </Folder>\n") }

    func end(_ text: inout ColumnedText) { text.write("  </Document>\n</kml>\n") }

    private static func value(_ number: String) -> String { "\(indent)      <gx:value>\(number)</gx:value>\n" }
}

extension PathWriter {
    /// Begins a KML file.
    public static var kml: Self { Self(KMLFormat()) }
}
