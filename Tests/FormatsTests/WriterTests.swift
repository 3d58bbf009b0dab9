import Foundation
import Readings
import Testing

@testable import Formats

@Suite("A written path") struct WriterTests {
    private static let path: WrittenPath = {
        var first = Location(fix: .threeDimensional)
        (first.latitudeDegrees, first.longitudeDegrees, first.altitudeMeters) = (48.123456789, -0.0000012, 520.25)
        first.utcMicroseconds = 1_795_262_584_250_000
        (first.speedMetersPerSecond, first.trackDegrees, first.satellitesUsed) = (3.5, 12.25, 9)
        (first.horizontalDilution, first.geoidSeparationMeters) = (0.75, 45.5)
        var second = Location(fix: .twoDimensional)
        (second.latitudeDegrees, second.longitudeDegrees) = (-90, 180)
        let lost = TimedLocation(Location(fix: .noPosition), utcMicroseconds: 7)
        return WrittenPath(
            name: "Tom & <\"Anna's\">\u{0}\u{7}",
            pieces: [
                [TimedLocation(first, utcMicroseconds: nil), lost, TimedLocation(second, utcMicroseconds: 1_000_000)],
                [lost], [TimedLocation(second, utcMicroseconds: nil)],
            ])
    }()

    @Test("as GPX is read back unchanged, in pieces, whatever its name")
    func gpx() throws {
        let text = GPXWriter.text([Self.path], creator: "a\"b")
        #expect(text.contains("<name>Tom &amp; &lt;&quot;Anna&apos;s&quot;&gt;\u{FFFD}\u{FFFD}</name>"))
        let paths = try GPXReader.paths(Array(text.utf8))
        #expect(paths.map(\.count) == [2, 1])
        #expect(paths[0][0] == Self.path.pieces[0][0].location)
        #expect(paths[0][1].utcMicroseconds == 1_000_000 && paths[1][0].utcMicroseconds == nil)
    }

    @Test("as KML is well-formed XML, with the longitude first in positions")
    func kml() throws {
        struct Elements: XMLHandler {
            var text = ""
            var coordinates: [String] = []
            mutating func begin(_ name: String, _ attributes: [String: String], line: Int) { text = "" }
            mutating func text(_ text: String) { self.text += text }
            mutating func end(_ name: String, line: Int) { if name == "gx:coord" { coordinates.append(text) } }
        }
        let text = KMLWriter.text([Self.path])
        let elements = try XMLReader.read(FileContent(Array(text.utf8)).begin(), Elements())
        #expect(elements.coordinates == ["-0.0000012 48.123456789 0", "180 -90 0", "180 -90 0"])
        #expect(text.contains("<when>2026-11-21T12:03:04.250000Z</when>"))
        let lines = text.split(separator: "\n").map { $0.filter { $0 != " " } }
        let begin = lines.firstIndex(of: "<gx:SimpleArrayDataname=\"speedMetersPerSecond\">") ?? 0
        #expect(lines[(begin + 1)...].prefix(2) == ["<gx:value>3.5</gx:value>", "<gx:value></gx:value>"])
    }

    @Test("as GeoJSON is valid JSON with times; a single point stays a point")
    func geoJSON() throws {
        let text = GeoJSONWriter.text([Self.path])
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let features = object?["features"] as? [[String: Any]] ?? []
        let geometries = features.compactMap { $0["geometry"] as? [String: Any] }
        #expect(geometries.map { $0["type"] as? String } == ["LineString", "Point"])
        #expect(geometries.first?["coordinates"] as? [[Double]] == [[-0.0000012, 48.123456789, 520.25], [180, -90]])
        let times = (features.first?["properties"] as? [String: Any])?["coordTimes"] as? [String]
        #expect(times == ["2026-11-21T12:03:04.250000Z", "1970-01-01T00:00:01Z"])
        let others = (features.first?["properties"] as? [String: Any])?["coordinateProperties"] as? [String: [Any]]
        #expect(others?["speedMetersPerSecond"]?.map { $0 as? Double } == [3.5, nil])
        #expect(others?["satellitesUsed"]?.map { $0 as? Int } == [9, nil])
        #expect(others?.count == 5)
        let empty = try JSONSerialization.jsonObject(with: Data(GeoJSONWriter.text([]).utf8)) as? [String: Any]
        #expect((empty?["features"] as? [Any])?.isEmpty == true)
    }

    @Test(
        "has numbers without exponents",
        arguments: [
            (1e-7, "0.0000001"), (-1e-7, "-0.0000001"), (1e-12, "0"), (100.0, "100"), (1e16, "10000000000000000"),
            (0.1, "0.1"), (-0.0, "-0"), (1.5e-5, "0.000015"),
        ])
    func numbers(value: Double, text: String) { #expect(DecimalNumber.text(value) == text) }
}
