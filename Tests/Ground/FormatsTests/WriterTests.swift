import Foundation
import Readings
import Testing

@testable import Formats
@testable import GPX

@Suite("A written path") struct WriterTests {
    private static let name = "Tom & <\"Anna's\">\u{0}\u{7}"

    /// The pieces of a path.
    private static let pieces: [[Location]] = {
        var first = Location(fix: .threeDimensional)
        (first.latitudeDegrees, first.longitudeDegrees, first.altitudeMeters) = (48.123456789, -0.0000012, 520.25)
        first.utcMicroseconds = 1_795_262_584_250_000
        (first.speedMetersPerSecond, first.trackDegrees, first.satellitesUsed) = (3.5, 12.25, 9)
        (first.horizontalDilution, first.geoidSeparationMeters) = (0.75, 45.5)
        var second = Location(fix: .twoDimensional)
        (second.latitudeDegrees, second.longitudeDegrees) = (-90, 180)
        var (lost, timed) = (Location(fix: .noPosition), second)
        (lost.utcMicroseconds, timed.utcMicroseconds) = (7, 1_000_000)
        return [[first, lost, timed], [lost], [second]]
    }()

    /// A document with pieces of one path, made with files in memory for what is put aside.
    private static func text(_ writer: PathWriter, _ pieces: [[Location]] = pieces) -> String {
        var (writer, bytes, files) = (writer, [UInt8](), [Int: [UInt8]]())
        func carryOut(_ parts: [ColumnedText.Part]) {
            for part in parts {
                switch part {
                case .text(let more): bytes += more
                case .aside(let more, let column, let times):
                    for _ in 0..<times { files[column, default: []] += more }
                case .column(let column): bytes += files.removeValue(forKey: column) ?? []
                case .forgotten(let column): files[column] = nil
                }
            }
        }
        writer.begin(name)
        for piece in pieces {
            for point in piece {
                writer.add(point)
                carryOut(writer.take())
            }
            writer.interrupt()
        }
        writer.endPath()
        writer.end()
        carryOut(writer.take())
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("as GPX has the corrections, and one word for the dimensions and the quality of the fix")
    func corrections() {
        var location = Location(fix: .threeDimensional)
        (location.latitudeDegrees, location.longitudeDegrees, location.positionDilution) = (1, 2, 1.5)
        (location.correctionAgeSeconds, location.correctionStation, location.utcMicroseconds) = (1.5, 120, 1)
        func text() -> String {
            Self.text(.gpx(creator: "a"), [[location]])
                .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined()
        }
        let words: [(Location.Status?, String)] = [
            (nil, "3d"), (.autonomous, "3d"), (.dgps, "dgps"), (.rtkFixed, "dgps"), (.rtkFloat, "dgps"),
            (.precise, "pps"), (.deadReckoning, "3d"),
        ]
        for (status, word) in words {
            location.status = status
            #expect(text().contains("<fix>\(word)</fix>"))
        }
        #expect(text().contains("<pdop>1.5</pdop><ageofdgpsdata>1.5</ageofdgpsdata><dgpsid>120</dgpsid></trkpt>"))
        location.correctionStation = 4_095
        #expect(!text().contains("dgpsid"))
    }

    @Test("as GPX is read back unchanged, in pieces, whatever its name")
    func gpx() throws {
        let text = Self.text(.gpx(creator: "a\"b"))
        #expect(text.contains("<name>Tom &amp; &lt;&quot;Anna&apos;s&quot;&gt;\u{FFFD}\u{FFFD}</name>"))
        let paths = try GPXReader.paths(Array(text.utf8))
        #expect(paths.map(\.count) == [2, 1])
        #expect(paths[0][0] == Self.pieces[0][0])
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
        let text = Self.text(.kml)
        let elements = try XMLReader.read(FileContent(Array(text.utf8)).begin(), Elements()).handler
        #expect(elements.coordinates == ["-0.0000012 48.123456789 0", "180 -90 0", "180 -90 0"])
        #expect(text.contains("<when>2026-11-21T12:03:04.250000Z</when>"))
        let lines = text.split(separator: "\n").map { $0.filter { $0 != " " } }
        let begin = lines.firstIndex(of: "<gx:SimpleArrayDataname=\"speedMetersPerSecond\">") ?? 0
        #expect(lines[(begin + 1)...].prefix(2) == ["<gx:value>3.5</gx:value>", "<gx:value></gx:value>"])
    }

    @Test("as GeoJSON is valid JSON with times; a single point stays a point")
    func geoJSON() throws {
        let text = Self.text(.geoJSON)
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
        let empty = try JSONSerialization.jsonObject(with: Data(Self.text(.geoJSON, []).utf8)) as? [String: Any]
        #expect((empty?["features"] as? [Any])?.isEmpty == true)
    }

    @Test("is the same, however little of it is held in memory", arguments: [0, 1, 30, 400])
    func held(most: Int) {
        var piece = Self.pieces[0]
        // Values that begin late, and end early.
        for index in 0..<40 {
            var location = piece[2]
            location.climbMetersPerSecond = index == 20 ? 1.5 : nil
            location.altitudeMeters = index < 5 ? 3 : nil
            location.utcMicroseconds = index == 30 ? nil : Int64(index)
            piece.append(location)
        }
        let pieces = [piece, Self.pieces[0], piece]
        let formats: [any PathFormat] = [GPXFormat(creator: ""), KMLFormat(), GeoJSONFormat()]
        for format in formats {
            let whole = Self.text(PathWriter(format), pieces)
            #expect(Self.text(PathWriter(format, mostHeld: most), pieces) == whole)
        }
        let text = Self.text(.geoJSON, [piece])
        let rate = text.components(separatedBy: "\"climbMetersPerSecond\":[").dropFirst().first?.prefix { $0 != "]" }
        let expected = Array(repeating: "null", count: 22) + ["1.5"] + Array(repeating: "null", count: 19)
        #expect(rate?.split(separator: ",").map(String.init) == expected)
    }

    @Test(
        "has numbers without exponents",
        arguments: [
            (1e-7, "0.0000001"), (-1e-7, "-0.0000001"), (1e-12, "0"), (100.0, "100"), (1e16, "10000000000000000"),
            (0.1, "0.1"), (-0.0, "-0"), (1.5e-5, "0.000015"),
        ])
    func numbers(value: Double, text: String) { #expect(DecimalNumber.text(value) == text) }
}
