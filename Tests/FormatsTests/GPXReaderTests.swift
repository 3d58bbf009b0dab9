import Formats
import Readings
import Testing

@testable import GPX

@Suite("A GPX file") struct GPXReaderTests {
    private static func paths(_ text: String) throws -> [[Location]] { try GPXReader.paths(Array(text.utf8)) }

    @Test("has the segments of its tracks with all known values of each point")
    func track() throws {
        let paths = try Self.paths(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="http://www.garmin.com/x">
              <metadata><time>2020-01-01T00:00:00Z</time></metadata>
              <wpt lat="1" lon="2"><name>not the way</name></wpt>
              <trk><name>Tom &amp; <![CDATA[<Anna>]]></name>
                <trkseg>
                  <trkpt lat="48.1" lon="-11.5"><ele> 520.5 </ele><time>2026-11-21T12:03:04.250Z</time>
                    <fix>dgps</fix><sat>9</sat><hdop>0.8</hdop><vdop>1.1</vdop><pdop>1.4</pdop><geoidheight>45.6</geoidheight>
                    <extensions><g:TrackPointExtension><g:speed>3.5</g:speed><g:course>360</g:course></g:TrackPointExtension>
                    <power>200</power></extensions></trkpt>
                  <trkpt lat="48.2" lon="-11.6"/>
                </trkseg>
                <trkseg/>
                <trkseg><trkpt lon="180" lat="-90"><fix>none</fix></trkpt></trkseg>
              </trk>
            </gpx>
            """)
        #expect(paths.map(\.count) == [2, 1])
        let first = paths[0][0]
        #expect((first.latitudeDegrees, first.longitudeDegrees, first.altitudeMeters) == (48.1, -11.5, 520.5))
        #expect(first.utcMicroseconds == 1_795_262_584_250_000)
        #expect((first.fix, first.satellitesUsed) == (.threeDimensional, 9))
        #expect((first.speedMetersPerSecond, first.trackDegrees) == (3.5, 0))
        #expect((first.horizontalDilution, first.verticalDilution, first.positionDilution) == (0.8, 1.1, 1.4))
        #expect(first.geoidSeparationMeters == 45.6)
        #expect(paths[0][1].fix == .twoDimensional && paths[0][1].utcMicroseconds == nil)
        #expect(paths[1][0].fix == .noPosition && paths[1][0].latitudeDegrees == -90)
    }

    @Test("of version 1.0 has speed and course in the point, under any prefix, in any encoding that expat knows")
    func older() throws {
        let text =
            "<?xml version='1.0' encoding='ISO-8859-1'?><x:gpx xmlns:x='u'><x:trk><x:name>\u{E9}</x:name>"
            + "<x:trkseg><x:trkpt lat='1' lon='2'><x:speed>1.5</x:speed></x:trkpt></x:trkseg></x:trk></x:gpx>"
        let bytes = text.unicodeScalars.map { UInt8($0.value) }
        #expect(try GPXReader.paths(bytes)[0][0].speedMetersPerSecond == 1.5)
        let wide = text.replacing("ISO-8859-1", with: "UTF-16").utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(try GPXReader.paths([0xFF, 0xFE] + wide)[0][0].speedMetersPerSecond == 1.5)
    }

    @Test("without a track has its routes, and without a route its waypoints")
    func routes() throws {
        let route = "<rte><rtept lat='1' lon='2'/><rtept lat='3' lon='4'/></rte><rte/>"
        #expect(try Self.paths("<gpx><wpt lat='9' lon='9'/>\(route)</gpx>").map(\.count) == [2])
        #expect(try Self.paths("<gpx><wpt lat='9' lon='9'/><wpt lat='8' lon='9'/></gpx>").map(\.count) == [2])
    }

    @Test(
        "with an error is refused with its line and a remedy",
        arguments: [
            ("<gpx>\n<trk>", 2, "XML"),
            ("<gpx>\n<wpt lat='91' lon='0'/></gpx>", 2, "-90.0 to 90.0"),
            ("<gpx>\n\n<wpt lat='nan' lon='0'/></gpx>", 3, "'nan'"),
            ("<gpx><wpt lat='0x1' lon='0'/></gpx>", 1, "'0x1'"),
            ("<gpx><wpt lat='1'/></gpx>", 1, "without 'lon'"),
            ("<gpx><wpt lat='1' lon='1'>\n<time>yesterday</time></wpt></gpx>", 2, "2026-11-21T12:03:04.5Z"),
            ("<gpx><wpt lat='1' lon='1'>\n<ele>12,5</ele></wpt></gpx>", 2, "<ele>"),
            ("<gpx><wpt lat='' lon='1'/></gpx>", 1, "'lat'"),
            ("<!DOCTYPE gpx [<!ENTITY a \"aaaaaaaa\">]>\n<gpx>&a;</gpx>", 1, "document type"),
            ("<gpx>&nbsp;</gpx>", 1, "entity"),
            ("\u{0}\u{1}", 1, "XML"),
            (String(repeating: "<gpx>", count: 100), 1, "too deep"),
        ])
    func refused(text: String, line: Int, words: String) {
        let error = #expect(throws: FormatError.self) { try Self.paths(text) }
        #expect(error?.line == line && error?.words.contains(words) == true, "\(String(describing: error))")
    }

    @Test("may mark unknown values: empty, NaN, out of any range, or -1")
    func unknown() throws {
        for (text, fix) in [
            ("<ele/><time/><speed>-1</speed>", Location.Fix.twoDimensional),
            ("<ele>NaN</ele><course>-1</course><hdop> </hdop><sat>-5</sat>", .twoDimensional),
            ("<ele>1e999</ele><fix>4d</fix>", .twoDimensional), ("<fix>3D</fix>", .threeDimensional),
        ] {
            let location = try Self.paths("<gpx><wpt lat='1' lon='2'>\(text)</wpt></gpx>")[0][0]
            var expected = Location(fix: fix)
            (expected.latitudeDegrees, expected.longitudeDegrees) = (1, 2)
            #expect(location == expected)
        }
    }

    @Test("of another format, or without points, is refused with the reason")
    func other() {
        for text in ["<kml/>", "<gpx/>", "<gpx><trk><trkseg/></trk></gpx>", "", " "] {
            #expect(throws: FormatError.self, "\(text)") { try Self.paths(text) }
        }
    }

    @Test("truncated or with a changed byte is an error or a path, and never a crash")
    func broken() {
        let text =
            "<gpx a='b'><trk><trkseg><trkpt lat='1.5' lon='2'><ele>3</ele><time>2026-11-21T12:03:04Z</time>"
            + "</trkpt></trkseg></trk></gpx>"
        let bytes = Array(text.utf8)
        for length in bytes.indices {
            #expect(throws: FormatError.self) { try GPXReader.paths(Array(bytes[..<length])) }
        }
        for (index, byte) in bytes.enumerated() {
            for other: UInt8 in [0, 32, 60, 62, 128, 255, byte ^ 1, byte ^ 64] {
                var changed = bytes
                changed[index] = other
                let paths = (try? GPXReader.paths(changed)) ?? []
                #expect(paths.joined().allSatisfy { abs($0.latitudeDegrees ?? 0) <= 90 })
            }
        }
    }
}
