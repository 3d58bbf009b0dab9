internal import Readings

/// GeoJSON (RFC 7946): a line for each unbroken piece, with times in `coordTimes` and other values in
/// `coordinateProperties`.
struct GeoJSONFormat: PathFormat {
    private static let positions = 0

    private var name = ""
    private var hasFeatures = false
    private var count = 0
    private var times = FilledColumn(1, unknown: "null", separator: ",")
    private var fields = LocationField.besidePlace.indices.map { FilledColumn(2 + $0, unknown: "null", separator: ",") }

    func begin(_ text: inout ColumnedText) { text.write("{\"type\":\"FeatureCollection\",\"features\":[\n") }

    mutating func beginPath(_ name: String, _ text: inout ColumnedText) { self.name = name }

    mutating func beginPiece(_ text: inout ColumnedText) {
        if hasFeatures { text.write(",\n") }
        (hasFeatures, count) = (true, 0)
    }

    mutating func add(_ location: Location, at place: Coordinate, _ text: inout ColumnedText) {
        let numbers = [place.longitudeDegrees, place.latitudeDegrees] + (location.altitudeMeters.map { [$0] } ?? [])
        let position = "[\(numbers.map { DecimalNumber.text($0) }.joined(separator: ","))]"
        text.put(count == 0 ? position : "," + position, in: Self.positions)
        if let time = location.utcMicroseconds {
            times.put("\"\(CalendarTime.text(microseconds: time))\"", of: count, &text)
        }
        for (index, field) in LocationField.besidePlace.enumerated() {
            guard let value = field.value(of: location) else { continue }
            let word = field.word(of: value).map(Self.quoted)
            fields[index].put(word ?? DecimalNumber.text(value), of: count, &text)
        }
        count += 1
    }

    mutating func endPiece(_ text: inout ColumnedText) {
        // A line needs two points.
        let (type, open, close) = count == 1 ? ("Point", "", "") : ("LineString", "[", "]")
        text.write("{\"type\":\"Feature\",\"geometry\":{\"type\":\"\(type)\",\"coordinates\":\(open)")
        text.writeColumn(Self.positions)
        text.write("\(close)},\"properties\":{\"name\":\(Self.quoted(name))")
        if !times.isEmpty {
            text.write(",\"coordTimes\":[")
            times.write(count, &text)
            text.write("]")
        }
        let known = fields.indices.filter { !fields[$0].isEmpty }
        if !known.isEmpty { text.write(",\"coordinateProperties\":{") }
        for index in known {
            let comma = index == known.first ? "" : ","
            text.write("\(comma)\(Self.quoted(LocationField.besidePlace[index].name)):[")
            fields[index].write(count, &text)
            text.write("]")
        }
        text.write(known.isEmpty ? "}}" : "}}}")
    }

    func endPath(_ text: inout ColumnedText) {}

    func end(_ text: inout ColumnedText) { text.write("\n]}\n") }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case " "...: quoted.unicodeScalars.append(scalar)
            default: quoted += "\u{FFFD}"
            }
        }
        return quoted + "\""
    }
}

extension PathWriter {
    /// Begins a GeoJSON file.
    public static var geoJSON: Self { Self(GeoJSONFormat()) }
}
