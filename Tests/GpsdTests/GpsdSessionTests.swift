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
        #expect(fix.latitudeDegrees.isNaN)
        #expect(fix.horizontalErrorMeters.isNaN)
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

    @Test("a sky with more satellites than libgps can hold is dropped")
    func crowdedSky() throws {
        var session = try GpsdSession()
        func sky(_ count: Int) -> String {
            let satellites = (1...count).map { #"{"PRN":\#($0 % 200),"el":1,"az":2,"ss":3,"used":true}"# }
            return #"{"class":"SKY","device":"/dev/x","satellites":[\#(satellites.joined(separator: ","))]}"#
        }
        #expect(counts(unpack(sky(80), &session)) == [80, 80, 80])
        #expect(unpack(sky(500), &session) == nil)
        #expect(counts(unpack(sky(3), &session)) == [3, 3, 3])
    }

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
        #expect(fix(#"\#(relative),"velN":4.5,"velE":5.5"#)?.velocityNorthMetersPerSecond == 4.5)
        #expect(try #require(fix(relative)).velocityNorthMetersPerSecond.isNaN)
        #expect(try #require(fix(#""lat":1.5"#)).velocityEastMetersPerSecond.isNaN)
    }

    @Test("a satellite with an impossible number is dropped", arguments: [-3, 0, 438, 5000, 32_767])
    func strangeSatellites(number: Int) throws {
        var session = try GpsdSession()
        let sky =
            #"{"class":"SKY","device":"/dev/x","satellites":[{"PRN":\#(number),"used":true},"#
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
            #"{"class":"SKY","device":"/dev/x","satellites":[{"PRN":7,"el":91,"az":360,"ss":-1,"used":true},"#
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
