import Testing

@testable import Formats

@Suite("The content of a file shows") struct FileFormatTests {
    private static func format(_ bytes: [UInt8]) throws -> FileFormat {
        for size in [1 << 16, 1, 7] where bytes.count > 0 {
            let whole = try FileContent(bytes).format()
            #expect(try FileContent(bytes, by: size).format() == whole)
        }
        return try FileContent(bytes).format()
    }

    @Test(
        "its format",
        arguments: [
            ("time,x,y,z\n0,1,2,3\n", .csv), ("a;b\n1;2\n", .csv), ("name,price\n$GPU,1\n", .csv),
            ("[m],a\n1,2\n", .csv),
            ("<?xml version='1.0'?>\n<!-- <kml> -->\n<x:gpx>", .gpx), ("\u{FEFF}  <gpx>", .gpx),
            ("<?xml version='1.0'?><kml xmlns='x'>", .foreign("kml")),
            ("<TrainingCenterDatabase>", .foreign("gtrnctr")),
            ("# log\n2026-05-01 $GNRMC,1\n", .nmea), ("$GPGGA,100000", .nmea), ("!AIVDM,1\n$GBGSV,1\n", .nmea),
            ("AXXXABC FLIGHT:1\r\nHFDTE010526\r\n", .foreign("igc")),
            ("{\"type\":\"FeatureCollection\"", .foreign("geojson")),
            ("\u{0E}\u{10}\u{0}\u{0}\u{9}\u{0}\u{0}\u{0}.FIT\u{0}\u{0}", .foreign("garmin_fit")),
            ("t,x\n1,2\n" + String(repeating: "\0", count: 4_000), .csv),
        ] as [(String, FileFormat)])
    func known(text: String, format: FileFormat) throws { #expect(try Self.format(Array(text.utf8)) == format) }

    @Test("its format in UTF-16 too")
    func wide() throws {
        for (text, format) in [("t\tx\n1\t2\n", .csv), ("<?xml version='1.0'?><kml>", .foreign("kml"))]
            as [(String, FileFormat)]
        {
            #expect(
                try Self.format([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }) == format)
        }
    }

    @Test(
        "what else it is, and what to do",
        arguments: [
            ([0x1F, 0x8B, 8], "gzip -dc"), (Array("BZh9".utf8), "bzip2"), (Array("PK\u{3}\u{4}".utf8), "unzip"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz -dc"), (Array("{\"class\":\"TPV\"".utf8), "jq -rn"),
            (Array("{\"recording\":{".utf8), "recording already"), (Array("[{\"a\":1}]".utf8), "JSON"),
            (Array("<html>".utf8), "<html>"), ([0xB5, 0x62, 1, 7], "UBX"), ([1, 2, 3, 4], "binary"),
            ([0, 0, 0], "binary"), ([], "empty"),
        ] as [([UInt8], String)])
    func other(bytes: [UInt8], words: String) {
        let error = #expect(throws: FormatError.self) { try Self.format(bytes) }
        #expect(error?.words.contains(words) == true, "\(String(describing: error))")
    }

    @Test("no name of a format that could be something else is accepted")
    func names() {
        #expect(FileFormat(named: "csv") == .csv && FileFormat(named: "garmin_fit") == .foreign("garmin_fit"))
        for name in ["", "kml,x=/etc/passwd", "../a", "A", "a b", String(repeating: "a", count: 99)] {
            #expect(FileFormat(named: name) == nil)
        }
    }
}

@Suite("Increasing times") struct IncreasingTimesTests {
    private static func picked(_ times: [Int64]) -> (kept: [Int64], dropped: [Int64]) {
        var picker = IncreasingTimes<Int64>(longestJump: 366 * 86_400)
        var (kept, dropped): ([Int64], [Int64]) = ([], [])
        for time in times {
            let (next, out) = picker.add(time, at: time)
            kept += next.map { [$0.item] } ?? []
            dropped += out.map { [$0] } ?? []
        }
        return (kept + (picker.finish().map { [$0.item] } ?? []), dropped)
    }

    @Test("one wrong time costs one item, wherever it stands")
    func wrong() {
        let year: Int64 = 366 * 86_400
        #expect(Self.picked([1, 2, 3]) == ([1, 2, 3], []))
        #expect(Self.picked([1, 2, 2, 1, 3]) == ([1, 2, 3], [2, 1]))
        #expect(Self.picked([1, 2, 99, 3, 4]) == ([1, 2, 3, 4], [99]))
        #expect(Self.picked([9 * year, 1, 2]) == ([1, 2], [9 * year]))
        #expect(Self.picked([1, 9 * year, 9 * year + 1]) == ([9 * year, 9 * year + 1], [1]))
        #expect(Self.picked([.min, .max, 0, 1]) == ([0, 1], [.min, .max]))
        #expect(Self.picked([18, 1, 2, 3]) == ([1, 2, 3], [18]))
        #expect(Self.picked([5, 5, 6]) == ([5, 6], [5]))
        #expect(Self.picked([5]) == ([5], []))
    }
}
