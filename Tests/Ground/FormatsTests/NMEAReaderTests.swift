import Readings
import Testing

@testable import Formats

@Suite("A receiver's log") struct NMEAReaderTests {
    private static func sentence(_ body: String) -> String {
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(sum.count == 1 ? "0" + sum : sum)\r\n"
    }

    private static func locations(_ bodies: [String]) throws -> [(offset: Int64, location: Location)] {
        try NMEAReader.samples(Array(bodies.map(sentence).joined().utf8)).samples.compactMap { sample in
            guard case .location(let location) = sample.measurement else { return nil }
            return (sample.offsetNanoseconds, location)
        }
    }

    @Test("yields a location per epoch, with the values of all its sentences")
    func epochs() throws {
        let locations = try Self.locations([
            "GNGGA,115959.80,4807.03800,N,01131.00000,W,1,08,0.9,545.4,M,46.9,M,,",
            "GNGSA,A,3,01,02,03,,,,,,,,,,1.6,0.9,1.3,1", "GNGSA,A,3,65,66,,,,,,,,,,,1.6,0.9,1.3,2",
            "GPGSV,1,1,09,01,40,083,46", "GLGSV,1,1,04,65,40,083,46", "GNGST,115959.80,1.0,1.0,1.0,0.0,3.0,4.0,2.0",
            "GNRMC,115959.80,A,4807.03800,N,01131.00000,W,10.0,360.0,230394,,,A", "GNVTG,90.0,T,,M,20.0,N,37.0,K,A",
            "GNGGA,120000.00,4807.04000,N,01131.00000,W,1,08,0.9,545.4,M,46.9,M,,",
        ])
        #expect(locations.map(\.offset) == [0, 200_000_000])
        let first = locations[0].location
        #expect((first.fix, first.utcMicroseconds) == (.threeDimensional, 764_423_999_800_000))
        #expect((first.latitudeDegrees, first.longitudeDegrees) == (48.1173, -11.516666667))
        #expect((first.altitudeMeters, first.ellipsoidHeightMeters) == (545.4, 545.4 + 46.9))
        #expect((first.satellitesUsed, first.satellitesVisible) == (5, 13))
        #expect((first.horizontalDilution, first.verticalDilution, first.positionDilution) == (0.9, 1.3, 1.6))
        #expect((first.speedMetersPerSecond, first.trackDegrees) == (10.0 * 1_852 / 3_600, 0))
        #expect((first.horizontalErrorMeters, first.verticalErrorMeters) == (1.96 * 5, 1.96 * 2))
        #expect(locations[1].location.utcMicroseconds == 764_424_000_000_000)
    }

    @Test("may pass midnight, before and after the sentence with the date")
    func midnight() throws {
        let locations = try Self.locations([
            "GPGLL,4807.0,N,01131.0,E,235959.00,A", "GPGLL,4807.0,N,01131.0,E,000000.00,A",
            "GPRMC,000001.00,A,4807.0,N,01131.0,E,,,010126,,", "GPGLL,4807.0,N,01131.0,E,000002.00,A",
        ])
        #expect(locations.map(\.offset) == [0, 1, 2, 3].map { $0 * 1_000_000_000 })
        let midnight: Int64 = 1_767_225_600_000_000
        #expect(locations.map(\.location.utcMicroseconds) == [-1, 0, 1, 2].map { midnight + $0 * 1_000_000 })
    }

    @Test("may pass midnight while the receiver does not know the time, and its date may be nonsense")
    func timelessMidnight() throws {
        let locations = try Self.locations([
            "GPGSA,A,3,,,,,,,,,,,,,1,1,1", "GPRMC,235959.00,A,4807.0,N,01131.0,E,,,010126,,",
            "GPGSA,A,1,,,,,,,,,,,,,,,", "GPRMC,,V,,,,,,,,,",
            "GPRMC,000001.00,A,4807.0,N,01131.0,E,,,,,",
        ])
        let midnight: Int64 = 1_767_312_000_000_000
        #expect(locations.map(\.location.utcMicroseconds) == [midnight - 1_000_000, nil, midnight + 1_000_000])
        let nonsense = try Self.locations([
            "GPGLL,4807.0,N,01131.0,E,100000.00,A", "GPZDA,100000.00,01,01,0001,00,00",
        ])
        #expect(nonsense.map(\.location.utcMicroseconds) == [nil])
    }

    @Test("has the quality of a fix, the age of its corrections and their station")
    func quality() throws {
        func location(_ end: String, quality: String) throws -> Location {
            try Self.locations(["GPGGA,100000.00,4807.0,N,01131.0,E,\(quality),04,1.0,5.0,M,1.0,M,\(end)"])[0].location
        }
        let corrected = try location("1.5,0017", quality: "4")
        #expect((corrected.status, corrected.correctionAgeSeconds, corrected.correctionStation) == (.rtkFixed, 1.5, 17))
        let statuses: [Location.Status?] = [
            nil, .dgps, .precise, .rtkFixed, .rtkFloat, .deadReckoning, .timeOnly, .simulated, nil,
        ]
        for (index, status) in statuses.enumerated() {
            #expect(try location(",", quality: "\(index + 1)").status == status)
        }
        let wrong = try location("-1,99999", quality: "2")
        #expect((wrong.correctionAgeSeconds, wrong.correctionStation) == (nil, nil))
        let lost = try location("1.5,0017", quality: "0")
        #expect((lost.status, lost.correctionAgeSeconds, lost.correctionStation) == (nil, nil, nil))
    }

    @Test("of satellites alone needs no more memory than one with positions")
    func satellitesOnly() throws {
        let talkers = (0..<30).map { "\(UnicodeScalar(UInt8(65 + $0 / 10)))\(UnicodeScalar(UInt8(65 + $0 % 10)))" }
        let sky = talkers.flatMap { talker in
            (0..<20).flatMap { group in
                let numbers = (0..<12).map { "\(group * 12 + $0)" }
                let long = String(repeating: "9", count: 50)
                return [
                    "\(talker)GSA,A,3,\(numbers.joined(separator: ",")),1.5,0.8,1.2,1\(group)",
                    "\(talker)GSV,1,1,,\(numbers.map { "\($0),,," }.joined(separator: ",")),\(long)\(group),,,",
                ]
            }
        }
        let location = try Self.locations(sky + Self.second(0))[0].location
        #expect(location.satellitesUsed ?? 0 <= 200 && location.satellitesVisible ?? 0 <= 1_000)
    }

    @Test("whose clock goes back or jumps keeps its intervals, and the clock's times of day")
    func clock() throws {
        let locations = try Self.locations([
            "GPRMC,100000.00,A,4807.0,N,01131.0,E,,,010126,,", "GPRMC,100000.50,A,4807.0,N,01131.0,E,,,010126,,",
            "GPRMC,095900.00,A,4807.0,N,01131.0,E,,,180506,,", "GPRMC,095900.50,A,4807.0,N,01131.0,E,,,180506,,",
        ])
        #expect(locations.map(\.offset) == [0, 500_000_000, 1_000_000_000, 1_500_000_000])
        #expect(locations[2].location.utcMicroseconds == 1_147_946_340_000_000)
    }

    @Test(
        "without a fix has no position, whichever sentence has that",
        arguments: [
            [
                "GPRMC,100000.00,V,4807.0,N,01131.0,E,,,010126,,",
                "GPGGA,100000.00,4807.0,N,01131.0,E,1,04,1.0,5.0,M,1.0,M,,",
            ],
            ["GPGGA,100000.00,4807.0,N,01131.0,E,0,00,,5.0,M,1.0,M,,"],
            ["GPGGA,100000.00,4807.0,N,01131.0,E,1,04,1.0,5.0,M,1.0,M,,", "GPGSA,A,1,,,,,,,,,,,,,,,"],
            ["GNGNS,100000.00,4807.0,N,01131.0,E,NN,00,1.0,5.0,1.0,,"], ["GPGGA,,,,,,0,00,,,M,,M,,"],
        ])
    func noFix(bodies: [String]) throws {
        let location = try Self.locations(bodies)[0].location
        #expect(location.fix == .noPosition && location.latitudeDegrees == nil && location.altitudeMeters == nil)
    }

    @Test("keeps possible values of sentences with impossible ones, and counts wrong checksums")
    func broken() throws {
        let text =
            "# a comment\n2026-01-01 $GPGLL,4807.0,N,01131.0,E,100000.00,A\n"
            + "$GPGLL,4807.0,N,01131.0,E,100001.00,A*00\n$PUBX,00,1\n"
            + "$GPGLL,9107.0,N,01131.0,E,100002.00,A\n$GPGLL,4875.0,N,01131.0,E,100003.00,A\n"
        let samples = try NMEAReader.samples(Array(text.utf8))
        #expect(samples.samples.count == 3 && samples.notes.texts == ["left out: 1 damaged sentence (line 3)"])
        for sample in samples.samples.dropFirst() {
            guard case .location(let location) = sample.measurement else { continue }
            #expect(location.fix == .noPosition && location.latitudeDegrees == nil)
        }
        for text in ["", "nothing", "$GPGSV,1,1,00\n", "$GPRMC\u{0}\n"] {
            #expect(throws: FormatError.self) { try NMEAReader.samples(Array(text.utf8)) }
        }
    }

    private static func text(_ bodies: [String]) -> [String] { bodies.map { String(sentence($0).dropLast()) } }

    private static func second(_ second: Int, fix: Bool = true) -> [String] {
        let time = "10000\(second).00"
        let place = "4851.5040,N,00217.6700,E"
        return [
            "GPGGA,\(time),\(place),\(fix ? "1,08" : "0,00"),0.8,35.0,M,47.0,M,,",
            "GPRMC,\(time),\(fix ? "A" : "V"),\(place),0.10,90.0,010526,,,A",
        ]
    }

    @Test("begins again at each dollar, so that lost bytes cost one sentence")
    func joined() throws {
        let whole = try Self.locations(Self.second(0) + Self.second(1)).map(\.location)
        let sentences = Self.text(Self.second(0) + Self.second(1))
        let line = sentences[0] + sentences[1] + "\r\n" + sentences[2] + sentences[3] + "\r\n"
        let imported = try NMEAReader.samples(Array(line.utf8))
        #expect(imported.samples.map(\.measurement) == whole.map { .location($0) } && imported.notes.leftOutCount == 0)
        let lost =
            String(sentences[0].prefix(24)) + sentences[1] + "\n" + sentences[2...].joined(separator: "\n") + "\n"
        let found = try NMEAReader.samples(Array(lost.utf8))
        #expect(found.samples.count == 2 && found.notes.texts == ["left out: 1 damaged sentence (line 1)"])
    }

    @Test("counts the satellites of several signals once, and never more in use than in view")
    func signals() throws {
        let sky = [
            "GNGSA,A,3,10,12,13,,,,,,,,,,1.5,0.8,1.2,1", "GNGSA,A,3,65,66,,,,,,,,,,,1.5,0.8,1.2,2",
            "GPGSV,1,1,03,10,23,294,32,12,41,226,30,13,48,232,28,1", "GPGSV,1,1,02,10,23,294,30,12,41,226,29,6",
            "GLGSV,1,1,02,65,58,275,32,66,23,331,33,1", "GLGSV,1,1,01,73,12,066,,0", "GPGSV,1,1,,10,23,294,30,8",
        ]
        let location = try Self.locations(Self.second(0) + sky + sky)[0].location
        #expect((location.satellitesUsed, location.satellitesVisible) == (5, 6))
    }

    @Test("learns which sentence begins a cycle, so that a lost fix is lost when the receiver reports it")
    func cycles() throws {
        func cycle(_ second: Int, _ fix: Bool) -> [String] {
            let used = fix ? "3,01,02,03,04,05,06,07,08,,,,," : "1,,,,,,,,,,,,,"
            return ["GPGSA,A,\(used)1.5,0.8,1.2", "GPGSV,1,1,01,10,23,294,32"] + Self.second(second, fix: fix)
        }
        let cycles = (0..<5).map { cycle($0, $0 < 3) }
        let fixes = try Self.locations(Array(cycles.joined())).map(\.location)
        #expect(
            fixes.map(\.fix) == [.threeDimensional, .threeDimensional, .threeDimensional, .noPosition, .noPosition])
        #expect(fixes.map(\.satellitesUsed) == [8, 8, 8, 0, 0])
        // The usual order, from the middle of a cycle on.
        let usual = cycles.map { Array($0[2...] + $0[..<2]) }
        #expect(
            try Self.locations(Array(usual.joined().dropFirst(3))).map(\.location.fix).suffix(4)
                == fixes.map(\.fix).suffix(4))
    }

    @Test("believes a sentence that does not have whether it is valid, and no repeated motion without a fix")
    func validity() throws {
        for other in ["GPGLL,4851.50,N,00217.67,E", "GNGNS,100000.00,4851.50,N,00217.67,E,,08,0.8,35.0,47.0,,"] {
            let location = try Self.locations([Self.second(0)[0], other])[0].location
            #expect(location.fix == .threeDimensional && location.latitudeDegrees == 48.8584)
        }
        let lost = try Self.locations(["GPRMC,100000.00,V,4851.5040,N,00217.6700,E,12.5,90.0,010526,,,N"])[0].location
        #expect((lost.fix, lost.speedMetersPerSecond, lost.trackDegrees) == (.noPosition, nil, nil))
    }

    @Test("may have minutes that were rounded up to 60")
    func roundedMinutes() throws {
        let location = try Self.locations([
            "GPRMC,100000.00,A,4859.0000,N,00259.0000,E,,,010526,,,A".replacing("59.0000", with: "60.0000")
        ])[0].location
        #expect((location.latitudeDegrees, location.longitudeDegrees) == (49, 3))
    }

    @Test("of five fixes in a second with whole seconds has all of them")
    func fast() throws {
        let bodies = (0..<3).flatMap { second in
            (0..<5).flatMap { _ in Self.second(second).map { $0.replacing(".00", with: "") } }
        }
        let locations = try Self.locations(bodies)
        #expect(locations.map(\.offset) == (0..<15).map { $0 * 200_000_000 })
    }

    @Test("leaves out a sentence that lacks a field, although its checksum is right")
    func shifted() throws {
        let imported = try NMEAReader.samples(
            Array(
                (Self.second(0) + ["GPGGA,100001.00,4851.5040,N,00217.6700,E,1,08,35.0,M,47.0,M,,"]).map(Self.sentence)
                    .joined().utf8))
        #expect(imported.samples.count == 1 && imported.notes.leftOutCount == 1)
    }

    @Test("of any bytes is possible locations in order, or an error")
    func hostile() throws {
        var state: UInt64 = 11
        let seed = Array(
            "$GPRMC,235959.00,A,4807.0,N,01131.0,E,10,360,311299,,\n$GPGGA,000000.00,4807.0,S,17959.9,W,1,04,1,5,M,1,M,,\n"
                .utf8)
        let alphabet = Array("0123456789,.-eNaV$*\n".utf8)
        for _ in 0..<1_000 {
            var bytes = seed
            for _ in 0..<4 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(state >> 33) % bytes.count] = alphabet[Int(state >> 20 & 0xFFFF) % alphabet.count]
            }
            guard let samples = try? NMEAReader.samples(bytes).samples else { continue }
            #expect(samples.map(\.offsetNanoseconds) == Set(samples.map(\.offsetNanoseconds)).sorted())
            for case .location(let location) in samples.map(\.measurement) {
                #expect(abs(location.latitudeDegrees ?? 0) <= 90 && abs(location.longitudeDegrees ?? 0) <= 180)
            }
        }
    }
}
