import Readings
import Testing

@testable import Gpsd

/// How the installed libgps parses lines, including hostile ones.
@Suite struct GpsdSessionTests {
    private static let endlessList =
        #"{"class":"DEVICES","devi"es":[{"class":"DEVICE","path":"/dev/x","driver":"u-blox","#
        + #""activated":"2026-01-01T00:00:00.000Z"},{"class":"DEVICE","path":"/dev/x","driver":"u-blo:"}]}"#

    @Test("the installed libgps matches this build")
    func library() throws { try GpsdSession.checkLibrary() }

    @Test("receivers and release are read")
    func receivers() throws {
        var session = try GpsdSession()
        #expect(unpack(#"{"class":"VERSION","release":"3.22","rev":"3.22"}"#, &session) == .version("3.22"))
        let device =
            #"{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"u-blox","activated":"2026-01-01T00:00:00.000Z"}"#
        #expect(unpack(device, &session) == .receiver(Receiver(path: "/dev/ttyUSB0", driver: "u-blox")))
        let gone = #"{"class":"DEVICE","path":"/dev/ttyUSB1","activated":0}"#
        #expect(unpack(gone, &session) == .receiverGone(path: "/dev/ttyUSB1"))
        #expect(unpack(#"{"class":"DEVICES","devices":[]}"#, &session) == .receivers([]))
    }

    @Test("receivers in a list are read, however many: libgps itself would loop for ever in more than four")
    func manyReceivers() throws {
        var session = try GpsdSession()
        for count in 0...6 {
            let paths = (0..<count).map { "/dev/tty\($0)" }
            let devices = paths.map { #"{"class":"DEVICE","path":"\#($0)","driver":"NMEA0183"}"# }
            let report = unpack(#"{"class":"DEVICES","devices":[\#(devices.joined(separator: ","))]}"#, &session)
            let read = GpsdReport.receivers(paths.map { Receiver(path: $0, driver: "NMEA0183") })
            #expect(report == read)
        }
    }

    @Test(
        "lists in which libgps would loop for ever do no harm",
        arguments: [
            endlessList, #"{"class":"TPV","mode":1}"# + endlessList,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/x,"driver":"u-blox"}]}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/x"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE",{"class":"DEVICES",}]}"#,
        ])
    func endlessLists(_ line: String) throws {
        var session = try GpsdSession()
        _ = unpack(line, &session)
        #expect(unpack(LibraryCheck.cases[0].line, &session) == LibraryCheck.cases[0].report)
    }

    @Test("nothing of one line is left for the next")
    func leftovers() throws {
        var session = try GpsdSession()
        _ = unpack(LibraryCheck.cases[0].line, &session)
        guard case .fix(let fix, let path)? = unpack(#"{"class":"TPV","mode":1}"#, &session) else {
            Issue.record("a bare TPV is a TPV")
            return
        }
        #expect(path.isEmpty)
        #expect(fix.time == nil)
        #expect(fix.mode == 1)
        #expect(fix.location.latitudeDegrees == nil)
        #expect(fix.location.horizontalErrorMeters == nil)
        #expect(unpack(#"{"class":"SKY","device":"/dev/x"}"#, &session) == nil)
    }

    @Test(
        "hostile values are unpacked unchanged, and none is delivered",
        arguments: [
            #""mode":3,"lat":1e400,"lon":1.0"#, #""mode":3,"lat":4000,"lon":1.0"#, #""mode":99,"lat":1.0,"lon":1.0"#,
            #""mode":3,"lat":NaN,"lon":1.0"#, #""mode":-1,"lat":1.0,"lon":1.0"#, #""mode":3,"lat":1.0"#,
            #""mode":3,"time":"9999-99-99T99:99:99Z""#, #""mode":3,"time":"x""#, #""mode":"x","lat":1.0,"lon":1.0"#,
            #""mode":99999999999999999999,"lat":1.0,"lon":1.0"#,
        ])
    func hostile(_ body: String) throws {
        var session = try GpsdSession()
        guard case .fix(let fix, _)? = unpack(#"{"class":"TPV",\#(body)}"#, &session) else { return }
        let location = FixValidation.location(of: fix).limitedToFix()
        #expect(location.fix == .noPosition)
        #expect(!location.hasPosition)
        #expect(location.utcMicroseconds == nil)
    }

    @Test("garbage, deep nesting, truncated lines and NULs are ignored, and the next line is read")
    func garbage() throws {
        var session = try GpsdSession()
        let whole = LibraryCheck.cases[0].line
        let nested =
            #"{"class":"TPV","x":"# + String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000) + "}"
        for line in ["", "}{", nested, "{\"class\":\"TPV\",\u{0}\"mode\":3}", String(repeating: "{", count: 60_000)] {
            _ = unpack(line, &session)
            #expect(unpack(whole, &session) == LibraryCheck.cases[0].report)
        }
        for length in 0..<whole.utf8.count { _ = unpack(String(whole.prefix(length)), &session) }
        #expect(unpack(whole, &session) == LibraryCheck.cases[0].report)
    }

    @Test("a sky with more satellites than libgps can hold is unpacked part by part, with its dilutions")
    func crowdedSky() throws {
        var session = try GpsdSession()
        func sky(_ count: Int) -> String {
            let satellites = (1...count).map { #"{"PRN":\#($0 % 200),"el":1,"az":2,"ss":3,"used":true}"# }
            return
                #"{"class":"SKY","device":"/dev/x","hdop":0.5,"satellites":[\#(satellites.joined(separator: ","))],"#
                + #""nSat":\#(count),"uSat":\#(count)}"#
        }
        for count in [80, 140, 141, 150, 280, 281] {
            let report = unpack(sky(count), &session)
            let numbered = count - count / 200
            #expect(counts(report) == [numbered, numbered, numbered], "\(count)")
            guard case .sky(let sky, _)? = report else { continue }
            #expect(sky.horizontalDilution == 0.5)
            #expect(sky.satellites.map(\.prn) == (1...count).map { $0 % 200 }.filter { $0 > 0 })
        }
        #expect(counts(unpack(sky(3), &session)) == [3, 3, 3])
    }

    @Test("dilutions come without satellites too")
    func dilutions() throws {
        var session = try GpsdSession()
        let line = #"{"class":"SKY","device":"/dev/x","hdop":0.6,"pdop":1.5,"uSat":62}"#
        let read = SkyReport(
            used: 0, visible: 0, horizontalDilution: 0.6, positionDilution: 1.5, hasSatellites: false)
        #expect(unpack(line, &session) == .sky(read, path: "/dev/x"))
    }

    @Test("attitudes and vectors to the other antenna are read, whatever libgps knows of them")
    func attitudes() throws {
        var session = try GpsdSession()
        let line =
            #"{"class":"ATT","device":"/dev/x","time":"2026-05-01T10:00:00.000Z","heading":123.4,"pitch":-1.5,"#
            + #""roll":2.0,"baseS":3,"baseE":1.0,"baseN": 2.0,"baseU":0.5,"baseL":2.29,"baseC":26.6}"#
        let vector = BaselineReport(
            northMeters: 2, eastMeters: 1, downMeters: -0.5, lengthMeters: 2.29, headingDegrees: 26.6)
        let read = AttitudeReport(headingDegrees: 123.4, pitchDegrees: -1.5, rollDegrees: 2, baseline: vector)
        #expect(unpack(line, &session) == .attitude(read, path: "/dev/x"))
        for wrong in ["x", "null", "[]", #""1""#, "1e400", "", "-"] {
            let line = #"{"class":"ATT","device":"/dev/x","heading":\#(wrong),"pitch":1.0}"#
            guard case .attitude(let report, _)? = unpack(line, &session) else { continue }
            var location = Location(fix: .noPosition)
            Attitude(report).put(into: &location)
            #expect(location.headingDegrees == nil)
            #expect(location.pitchDegrees == 1)
        }
    }

    @Test("how the position was found, and with which corrections")
    func quality() throws {
        var session = try GpsdSession()
        func location(_ members: String) throws -> Location {
            let line = #"{"class":"TPV","device":"/dev/x","mode":3,"lat":1.0,"lon":2.0,\#(members)}"#
            guard case .fix(let fix, _)? = unpack(line, &session) else { throw NotUnpacked() }
            return FixValidation.location(of: fix)
        }
        let statuses: [Location.Status?] = [
            nil, .autonomous, .dgps, .rtkFixed, .rtkFloat, .deadReckoning, .gnssDeadReckoning, .timeOnly, .simulated,
            .precise, nil, nil,
        ]
        for (number, status) in statuses.enumerated() {
            #expect(try location(#""status":\#(number)"#).status == status)
        }
        let corrected = try location(#""status":4,"dgpsAge":1.5,"dgpsSta":0,"relN":3.0,"relE":4.0,"relD":0.0"#)
        #expect((corrected.correctionAgeSeconds, corrected.correctionStation) == (1.5, 0))
        #expect((corrected.baselineNorthMeters, corrected.baselineLengthMeters) == (3, 5))
        #expect(abs((corrected.baselineHeadingDegrees ?? 0) - 53.1301) < 1e-4)
        #expect(corrected.headingDegrees == nil)
        let plain = try location(#""altMSL":3.0"#)
        #expect(plain.status == nil && plain.correctionAgeSeconds == nil && plain.correctionStation == nil)
        #expect(plain.baselineNorthMeters == nil)
        let odd = try location(#""status":-3,"dgpsAge":-1.0,"dgpsSta":70000,"relN":1e9,"relE":2.0"#)
        #expect(odd.status == nil && odd.correctionAgeSeconds == nil && odd.correctionStation == nil)
        #expect(odd.baselineNorthMeters == nil && odd.baselineHeadingDegrees == nil)
    }

    @Test("a velocity does not hide the position relative to a reference station")
    func relativeBesideVelocity() throws {
        var session = try GpsdSession()
        let line =
            #"{"class":"TPV","mode":3,"relN":1.5,"relE":2.5,"relD":3.5,"relH":59.0,"relL":4.5,"velN":6.5,"velE":7.5}"#
        guard case .fix(let fix, _)? = unpack(line, &session) else { throw NotUnpacked() }
        #expect(
            fix.baseline
                == BaselineReport(
                    northMeters: 1.5, eastMeters: 2.5, downMeters: 3.5, lengthMeters: 4.5, headingDegrees: 59))
        #expect(fix.location.velocityNorthMetersPerSecond == 6.5)
    }

    @Test("the altitude of gpsd before 3.20 is above the sea, and counts only without a newer one")
    func oldAltitude() throws {
        var session = try GpsdSession()
        func altitudes(_ members: String) throws -> [Double?] {
            let line = #"{"class":"TPV","mode":3,"lat":1.0,"lon":2.0,\#(members)}"#
            guard case .fix(let fix, _)? = unpack(line, &session) else { throw NotUnpacked() }
            let location = FixValidation.location(of: fix)
            return [location.altitudeMeters, location.ellipsoidHeightMeters]
        }
        #expect(try altitudes(#""alt":35.5"#) == [35.5, nil])
        #expect(try altitudes(#""altHAE":80.5,"alt":80.5"#) == [nil, 80.5])
        #expect(try altitudes(#""altHAE":80.5,"altMSL":36.5,"alt":35.5"#) == [36.5, 80.5])
        #expect(try altitudes(#""speed":1.0"#) == [nil, nil])
    }

    private struct NotUnpacked: Error {}

    private func counts(_ report: GpsdReport?) -> [Int] {
        guard case .sky(let sky, path: "/dev/x")? = report else { return [] }
        return [sky.used, sky.visible, sky.satellites.count]
    }

    @Test("a relative position is not a velocity, whichever fields libgps uses for the two")
    func relativePosition() throws {
        var session = try GpsdSession()
        func fix(_ members: String) -> FixReport? {
            guard case .fix(let fix, _)? = unpack(#"{"class":"TPV","device":"/dev/x","mode":3,\#(members)}"#, &session)
            else { return nil }
            return fix
        }
        let relative = #""relN":1.5,"relE":2.5,"relD":3.5"#
        #expect(fix(#"\#(relative),"velN":4.5,"velE":5.5"#)?.location.velocityNorthMetersPerSecond == 4.5)
        #expect(try #require(fix(relative)).location.velocityNorthMetersPerSecond == nil)
        #expect(try #require(fix(#""lat":1.5"#)).location.velocityEastMetersPerSecond == nil)
    }

    @Test("a satellite with an impossible number is dropped", arguments: [-3, 0, 438, 5000, 32_767])
    func strangeSatellites(number: Int) throws {
        var session = try GpsdSession()
        let sky =
            #"{"class":"SKY","device":"/dev/x","nSat":2,"uSat":1,"satellites":[{"PRN":\#(number),"used":true},"#
            + #"{"PRN":437,"used":false}]}"#
        guard case .sky(let report, _)? = unpack(sky, &session) else {
            Issue.record("no sky")
            return
        }
        #expect(report.satellites.map(\.prn) == [437])
    }

    @Test("impossible values of a satellite are unknown, and its system is unknown without its own number")
    func satellites() throws {
        var session = try GpsdSession()
        let sky =
            #"{"class":"SKY","device":"/dev/x","nSat":3,"uSat":1,"satellites":[{"PRN":7,"el":91,"az":360,"ss":-1,"used":true},"#
            + #"{"PRN":8,"gnssid":9,"svid":3,"used":false},{"PRN":302,"gnssid":2,"svid":5,"el":-3.5,"used":false}]}"#
        guard case .sky(let report, _)? = unpack(sky, &session) else {
            Issue.record("no sky")
            return
        }
        var (first, third) = (Satellite(prn: 7, isUsed: true), Satellite(prn: 302, isUsed: false))
        first.azimuthDegrees = 0
        (third.system, third.systemNumber, third.elevationDegrees) = (.galileo, 5, -3.5)
        #expect(report.satellites == [first, Satellite(prn: 8, isUsed: false), third])
    }

    @Test("lines with random bytes changed never trap, and never yield a value out of range")
    func mutations() throws {
        var session = try GpsdSession()
        var random = SystemRandomNumberGenerator()
        let device = #"{"class":"DEVICE","path":"/dev/x","driver":"u-blox","activated":"2026-01-01T00:00:00.000Z"}"#
        let devices = #"{"class":"DEVICES","devices":[\#(Array(repeating: device, count: 4).joined(separator: ","))]}"#
        let lines = (LibraryCheck.cases.map(\.line) + [device, devices]).map { Array($0.utf8) }
        for round in 0..<40_000 {
            var line = lines[round % lines.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                line[Int.random(in: 16..<line.count, using: &random)] = UInt8.random(in: 1...255, using: &random)
            }
            guard case .fix(let fix, _)? = session.unpack(line.span) else { continue }
            let location = FixValidation.location(of: fix).limitedToFix()
            #expect((-90...90).contains(location.latitudeDegrees ?? 0))
            #expect((-180...180).contains(location.longitudeDegrees ?? 0))
        }
    }

    private func unpack(_ line: String, _ session: inout GpsdSession) -> GpsdReport? {
        let bytes = Array(line.utf8)
        return session.unpack(bytes.span)
    }
}
