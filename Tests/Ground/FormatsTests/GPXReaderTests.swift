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

    private static func imported(_ text: String, interval: Int64? = nil) throws -> Imported {
        try Imported(Array(text.utf8)) { (content, take) throws(FormatError) in
            try GPXReader.read(content, intervalNanoseconds: interval, take)
        }
    }

    /// A point at a second of an hour.
    private static func point(_ second: Int, _ more: String = "", lat: String = "48.5") -> String {
        "<trkpt lat='\(lat)' lon='2'><time>2026-05-01T10:00:\(second < 10 ? "0" : "")\(second)Z</time>\(more)</trkpt>\n"
    }

    private static func track(_ segments: String...) -> String {
        "<trk>" + segments.map { "<trkseg>\($0)</trkseg>" }.joined() + "</trk>"
    }

    @Test(
        "is imported without the points that are wrong, which are counted",
        arguments: [
            (
                point(5).replacing("2026-05-01T10:00:05Z", with: "0000-00-00T00:00:00Z"),
                "1 point whose position or time is not valid (line 3)"
            ),
            (
                point(5).replacing("2026-05-01T10:00:05Z", with: "0001-01-01T00:00:00Z"),
                "1 point whose position or time is not valid (line 3)"
            ), (point(5).replacing("2026", with: "2300"), "1 point whose position or time is not valid (line 3)"),
            (point(5, lat: "NaN"), "1 point whose position or time is not valid (line 3)"),
            (point(5, lat: "95"), "1 point whose position or time is not valid"),
            ("<trkpt lat='1'/>", "1 point whose position or time is not valid"),
            ("<trkpt lat='1' lon='1'/>", "1 point without a time"), (point(1), "1 point not later"),
            (point(5).replacing("2026", with: "2038"), "1 point not later than the one before (line 3)"),
        ])
    func sloppy(bad: String, words: String) throws {
        let imported = try Self.imported(
            "<gpx>" + Self.track(Self.point(0) + Self.point(1) + bad + Self.point(9)) + "</gpx>")
        #expect(imported.samples.map { ($0.utcMicroseconds ?? 0) / 1_000_000 - 1_777_629_600 } == [0, 1, 9])
        #expect(imported.notes.texts.joined().contains(words), "\(imported.notes.texts)")
    }

    @Test("has the values of a point, and of an extension only its motion")
    func extensions() throws {
        let other = """
            <ele>35</ele><extensions><v:photo><v:time>2020-01-01T00:00:00Z</v:time><v:ele>9999</v:ele><v:fix>rtk</v:fix>
            <v:sat>99</v:sat><v:trkpt lat='1' lon='1'><v:time>2020-01-01T00:00:00Z</v:time></v:trkpt></v:photo>
            <v:speed>12.3 km/h</v:speed><v:course>90</v:course></extensions><link><time>2020-01-01T00:00:00Z</time></link>
            """
        let imported = try Self.imported("<gpx>" + Self.track(Self.point(1, other)) + "</gpx>")
        guard case .location(let location)? = imported.samples.first?.measurement else { throw CancellationError() }
        #expect(imported.samples.count == 1 && location.utcMicroseconds == 1_777_629_601_000_000)
        #expect((location.altitudeMeters, location.speedMetersPerSecond, location.trackDegrees) == (35, nil, 90))
        #expect((location.satellitesUsed, location.fix) == (nil, .threeDimensional))
        let bad = try Self.imported("<gpx>" + Self.track(Self.point(1, "<ele>12,5</ele>")) + "</gpx>")
        #expect(bad.samples.count == 1 && bad.notes.texts == ["left out: 1 value of <ele>, not a number (line 1)"])
    }

    @Test(
        "that was cut off, or filled up with zeros, is imported up to there",
        arguments: ["", "<trkpt lat=\"48.5\" lon=\"2.2", "\0\0\0\0", "<name>A & B"])
    func cut(rest: String) throws {
        let imported = try Self.imported("<gpx><trk><trkseg>" + Self.point(1) + Self.point(2) + rest)
        #expect(imported.samples.count == 2 && imported.notes.texts.count == 1)
        #expect(imported.notes.texts[0].contains("everything before that was read"), "\(imported.notes.texts)")
        let padded = try Self.imported(
            "<gpx>" + Self.track(Self.point(1)) + "</gpx>" + String(repeating: "\0", count: 9_000))
        #expect(padded.samples.count == 1)
    }

    @Test("has its segments in the order of time, and two tracks at one time as two sensors")
    func order() throws {
        let newest = try Self.imported(
            "<gpx>" + Self.track(Self.point(30) + Self.point(31))
                + Self.track(Self.point(1) + Self.point(2), Self.point(9)) + "</gpx>")
        #expect(newest.samples.map { $0.offsetNanoseconds / 1_000_000_000 } == [0, 1, 8, 29, 30])
        #expect(newest.samples.map(\.piece) == [2, 2, 3, 1, 1] && newest.notes.texts.isEmpty)
        let two = try Self.imported(
            "<gpx>" + Self.track(Self.point(1) + Self.point(9)) + Self.track(Self.point(2) + Self.point(3)) + "</gpx>")
        let found = two.samples.map { sample -> [Int64] in
            [Int64(sample.sensor), sample.offsetNanoseconds / 1_000_000_000]
        }
        let expected: [[Int64]] = [[0, 0], [0, 8], [1, 1], [1, 2]]
        #expect(found.sorted { $0[0] < $1[0] } == expected)
    }

    @Test("whose first time cannot be loses only that point")
    func impossibleTime() throws {
        let first = Self.point(0).replacing("2026-05-01", with: "0001-01-01")
        let imported = try Self.imported("<gpx>" + Self.track(first + Self.point(1) + Self.point(3)) + "</gpx>")
        #expect(imported.samples.map(\.offsetNanoseconds) == [0, 2_000_000_000])
        #expect(imported.notes.texts == ["left out: 1 point whose position or time is not valid (line 1)"])
    }

    @Test("has the quality of a fix")
    func quality() throws {
        func location(_ more: String) throws -> Location? {
            let imported = try Self.imported("<gpx>" + Self.track(Self.point(1, more)) + "</gpx>")
            guard case .location(let location)? = imported.samples.first?.measurement else { return nil }
            return location
        }
        let corrected = try location(
            "<ele>5</ele><fix>dgps</fix><ageofdgpsdata>1.5</ageofdgpsdata><dgpsid>17</dgpsid>")
        #expect((corrected?.fix, corrected?.status) == (.threeDimensional, .dgps))
        #expect((corrected?.correctionAgeSeconds, corrected?.correctionStation) == (1.5, 17))
        let precise = try location("<fix>pps</fix><dgpsid>99999</dgpsid><ageofdgpsdata>-1</ageofdgpsdata>")
        #expect((precise?.fix, precise?.status) == (.twoDimensional, .precise))
        #expect((precise?.correctionAgeSeconds, precise?.correctionStation) == (nil, nil))
        #expect(try location("<fix>3d</fix>")?.status == nil)
    }

    @Test("with any number of tracks, the newest first, has all of them, and is read twice")
    func newest() throws {
        let times = (0..<1_500).reversed().map { second in
            CalendarTime.text(microseconds: 1_777_629_600_000_000 + Int64(second) * 1_000_000)
        }
        let text =
            "<gpx>" + times.map { Self.track("<trkpt lat='1' lon='2'><time>\($0)</time></trkpt>") }.joined() + "</gpx>"
        let content = FileContent(Array(text.utf8))
        var begun = 0
        let counted = FileContent { () throws(FormatError) in
            begun += 1
            return try content.begin()
        }
        var offsets: [Int64] = []
        let notes = try GPXReader.read(counted, intervalNanoseconds: nil) { (sample, _) throws(FormatError) in
            offsets.append(sample.offsetNanoseconds / 1_000_000_000)
        }
        // The beginning shows whether it is in UTF-16.
        #expect(offsets == Array(0..<1_500) && notes.texts.isEmpty && begun == 1 + 2)
    }

    @Test("begins with its earliest point, also if a track is within another one")
    func within() throws {
        let imported = try Self.imported(
            "<gpx>" + Self.track(Self.point(1), Self.point(10) + Self.point(12))
                + Self.track(Self.point(2) + Self.point(3)) + "</gpx>")
        #expect(imported.samples.first?.offsetNanoseconds == 0 && imported.samples.count == 5)
    }

    @Test("reports what it leaves out beside its tracks, and may have no times")
    func others() throws {
        let other =
            "<wpt lat='1' lon='1'><time>2026-05-01T09:00:00Z</time></wpt><rte><rtept lat='1' lon='1'/><rtept lat='1' lon='1'/></rte>"
        let imported = try Self.imported("<gpx>" + other + Self.track(Self.point(1)) + "</gpx>")
        #expect(imported.notes.texts == ["left out: 1 waypoint beside the tracks, 2 route points beside the tracks"])
        let error = #expect(throws: FormatError.self) { try Self.imported("<gpx>" + other + "</gpx>") }
        #expect(error?.words.contains("--interval") == true)
        #expect(try Self.imported("<gpx>" + other + "</gpx>", interval: 5).samples.map(\.offsetNanoseconds) == [0, 5])
    }

    @Test(
        "that is nearly XML is read completely",
        arguments: [
            "Tom & Anna", "a&b;c", "&nbsp;", "Caf\u{E9}", "&#0;", "\u{1}", "\u{B0}\u{2}\u{FC}",
            "AT&T &amp; &lt;x&gt; &", "&#233;",
            "<![CDATA[Tom & Anna]]>",
        ])
    func sloppyText(name: String) throws {
        let body = "<trk><name>\(name)</name><trkseg>" + Self.point(0) + Self.point(1) + "</trkseg></trk>"
        for head in ["", "<?xml version='1.0' encoding='UTF-8'?>"] {
            // As Latin-1, whatever the head says.
            let bytes = "\(head)<gpx>\(body)</gpx>".unicodeScalars.map { UInt8($0.value) }
            let imported = try Imported(bytes) { (content, take) throws(FormatError) in
                try GPXReader.read(content, intervalNanoseconds: nil, take)
            }
            #expect(imported.offsets == [0, 1_000_000_000] && imported.notes.texts.isEmpty, "\(imported.notes.texts)")
        }
    }

    @Test("whose tracks begin where the one before ends has one sensor")
    func touching() throws {
        let imported = try Self.imported(
            "<gpx>" + Self.track(Self.point(0) + Self.point(1)) + Self.track(Self.point(1) + Self.point(2)) + "</gpx>")
        #expect(imported.samples.map(\.sensor) == [0, 0, 0])
    }

    @Test("with its newest point first is read from its end")
    func backward() throws {
        let points = (0..<9).map { Self.point($0) }
        let imported = try Self.imported(
            "<gpx>" + Self.track(points[5...].reversed().joined(), points[..<5].reversed().joined()) + "</gpx>")
        #expect(imported.offsets == (0..<9).map { $0 * 1_000_000_000 } && imported.notes.texts.isEmpty)
    }

    @Test("in an encoding that expat does not know is read, as far as it is needed")
    func encodings() throws {
        for name in ["windows-1252", "koi8-r", "shift_jis"] {
            let text =
                "<?xml version='1.0' encoding='\(name)'?><gpx><trk><name>#</name><trkseg>" + Self.point(1)
                + "</trkseg></trk></gpx>"
            let bytes = text.utf8.map { $0 == UInt8(ascii: "#") ? 0xFC : $0 }
            #expect(try GPXReader.paths(bytes).map(\.count) == [1])
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
