internal import Readings

/// Writes paths as GeoJSON (RFC 7946): a line for each unbroken piece, with times in `coordTimes` and other values in
/// `coordinateProperties`.
public struct GeoJSONWriter {
    /// The document.
    public static func text(_ paths: [WrittenPath]) -> String {
        let features = paths.flatMap { path in path.positions.map { feature($0, path.name) } }
        return "{\"type\":\"FeatureCollection\",\"features\":[\n\(features.joined(separator: ",\n"))\n]}\n"
    }

    private static func feature(_ piece: [TimedLocation], _ name: String) -> String {
        let positions = piece.map { position($0) }
        // A line needs two points.
        let geometry =
            positions.count == 1
            ? "{\"type\":\"Point\",\"coordinates\":\(positions[0])}"
            : "{\"type\":\"LineString\",\"coordinates\":[\(positions.joined(separator: ","))]}"
        var properties = "\"name\":\(quoted(name))"
        if piece.contains(where: { $0.utcMicroseconds != nil }) {
            let times = piece.map { $0.utcMicroseconds.map { "\"\(CalendarTime.text(microseconds: $0))\"" } ?? "null" }
            properties += ",\"coordTimes\":[\(times.joined(separator: ","))]"
        }
        let others = piece.otherFields.map { field in
            "\(quoted(field.name)):[\(field.values.map { $0 ?? "null" }.joined(separator: ","))]"
        }
        if !others.isEmpty { properties += ",\"coordinateProperties\":{\(others.joined(separator: ","))}" }
        return "{\"type\":\"Feature\",\"geometry\":\(geometry),\"properties\":{\(properties)}}"
    }

    private static func position(_ point: TimedLocation) -> String {
        guard let position = point.position else { return "[]" }
        let numbers = [position.longitude, position.latitude] + (point.location.altitudeMeters.map { [$0] } ?? [])
        return "[\(numbers.map { DecimalNumber.text($0) }.joined(separator: ","))]"
    }

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
