import BrokerClient
import Foundation
import Programs
import Readings
import Testing
import Varlink

@testable import sensorctl

@Suite struct TextFormatTests {
    private func format(isColoured: Bool = false, isVerbose: Bool = true) throws -> TextFormat {
        var format = TextFormat(
            clock: Examples.clock, style: Style(isOn: isColoured), news: News(isVerbose: isVerbose))
        _ = format.begin([try Examples.resource(0), try Examples.resource(1)])
        return format
    }

    /// Local date, time and zone by Foundation.
    private func local(_ seconds: Double, _ format: String = "yyyy-MM-dd HH:mm:ss.SSSxxx") -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = format
        return formatter.string(from: Date(timeIntervalSince1970: 1_795_262_400 + seconds))
    }

    /// The same time, as the arrival of an event.
    private func received(_ seconds: Double) -> String { "     received at " + local(seconds, "HH:mm:ss.SSS") }

    @Test("a location is shown with units, in local time")
    func location() throws {
        #expect(
            try format().rows(of: Examples.reading(Examples.location)) == [
                local(4.512)
                    + "  location        48.117300°N    11.516700°W    545.4 m     1.2 m/s    84°  3d ±4.1 m        9/12"
            ])
    }

    @Test("what is aligned stands behind a bar with its name, and a dash stands for what is unknown")
    func aligned() throws {
        var format = try format()
        let reading = try Examples.reading(Examples.aligned)
        let heading = format.heading(for: reading)[0].components(separatedBy: "  |  ")
        let rows = format.rows(of: reading).map { $0.components(separatedBy: "  |  ") }
        #expect(heading.count == 3 && rows.map(\.count) == [3, 3])
        #expect(heading[1].hasPrefix("location      LATITUDE     LONGITUDE"))
        #expect(rows[0][1].hasPrefix("location   +48.2500000   -11.5000000           -"))
        #expect(rows[1][1].hasPrefix("location             -             -           -"))
        #expect(heading[0].count == rows[0][0].count && heading[1].count == rows[1][1].count)
    }

    @Test("requested satellites have a line each, and count as one row with their location")
    func satellites() throws {
        let reading: JSONObject = [
            "resource": "location", "sequence": 8, "timestampNanoseconds": 5_000_000_000,
            "location": [
                "fix": "none",
                "satellites": [
                    [
                        "prn": 301, "system": "galileo", "systemNumber": 1, "elevationDegrees": 41.0,
                        "azimuthDegrees": 172.5, "signalDecibelHertz": 38.0, "used": true,
                    ], ["prn": 7, "system": "of tomorrow", "systemNumber": 1, "used": false],
                ],
            ],
        ]
        #expect(
            try format().rows(of: Examples.reading(reading)) == [
                local(5)
                    + "  location                  -              -          -           -      -  no fix           -"
                    + "\n  galileo 1     elevation  41°  azimuth 173°  38 dB-Hz  used\n  PRN 7       "
            ])
    }

    @Test(
        "on a narrow terminal the date has a line of its own, once a day, and a location as many columns as fit",
        arguments: [80, 60, 200])
    func narrow(width: Int) throws {
        var format = TextFormat(
            clock: Examples.clock, style: Style(isOn: false), news: News(isVerbose: true), width: width)
        _ = format.begin([try Examples.resource(0)])
        let reading = try Examples.reading(Examples.location)
        let heading = format.heading(for: reading)
        let row = format.rows(of: reading)[0]
        #expect((heading + [row]).allSatisfy { $0.count <= width })
        #expect(heading.last?.count == row.count || row.count < width)
        #expect(row.contains("48.117300°N") && row.contains("11.516700°W") && row.contains("3d ±4.1 m"))
        guard width < 120 else {
            #expect(heading.count == 1 && row.hasPrefix(local(4.512)) && row.hasSuffix("9/12"))
            return
        }
        #expect(heading.count == 2 && heading[0] == local(4.512, "yyyy-MM-ddxxx"))
        #expect(row.hasPrefix(local(4.512, "HH:mm:ss.SSS") + "  location  "))
        #expect(row.contains("545.4 m") == (width == 80) && !row.contains("9/12"))
        #expect(format.heading(for: reading).isEmpty)
        let gap = try StreamEvent.gap(Gap(Parameters(Examples.gap)))
        #expect(format.line(about: gap, atNanoseconds: 0)?.hasPrefix(local(0, "HH:mm:ss.SSS") + "  ") == true)
        let tomorrow = try Examples.reading([
            "resource": "location", "sequence": 9, "timestampNanoseconds": 86_400_000_000_000,
            "location": ["fix": "none"],
        ])
        #expect(format.heading(for: tomorrow) == [local(86_400, "yyyy-MM-ddxxx")])
    }

    @Test("every quality of a fix fits its column, on a narrow terminal with fewer digits")
    func qualities() throws {
        func line(_ status: Location.Status?, error: Double, altitude: Double = 545.4, in room: Int?) -> String {
            var location = Location(fix: .threeDimensional)
            (location.latitudeDegrees, location.longitudeDegrees) = (-48.1173, -111.5167)
            (location.altitudeMeters, location.speedMetersPerSecond) = (altitude, 250.25)
            (location.status, location.horizontalErrorMeters) = (status, error)
            (location.satellitesUsed, location.satellitesVisible) = (9, 12)
            return LocationText.text(location, in: room)
        }
        let places = [(.rtkFloat, 0.2), (.gnssDeadReckoning, 12.34), (.rtkFixed, 0.02), (.dgps, 9.9)]
            .map { line($0, error: $1, in: nil).components(separatedBy: "9/12")[0].count }
        #expect(Set(places).count == 1)
        func narrow(_ status: Location.Status?, _ error: Double, altitude: Double = 1) -> String {
            let text = line(status, error: error, altitude: altitude, in: 56)
            #expect(text.count <= 56, "\(text)")
            return String(text.dropFirst(44))
        }
        #expect(narrow(.rtkFloat, 0.2) == "float ±0.2 m" && narrow(.rtkFixed, 0.02) == "rtk ±0.02 m")
        #expect(narrow(.gnssDeadReckoning, 12.34) == "gnss+dr±12 m" && narrow(.gnssDeadReckoning, 9) == "gnss+dr ±9 m")
        #expect(narrow(.gnssDeadReckoning, 1234) == "gnss+dr" && narrow(nil, 4.1, altitude: 11_000.5) == "3d ±4.1 m")
        #expect(line(nil, error: 4, altitude: 11_000.5, in: 56).contains(" 11001 m "))
    }

    @Test("an unknown value of a location is a dash")
    func noFix() throws {
        #expect(
            try format().rows(of: Examples.reading(Examples.noFix)) == [
                local(5)
                    + "  location                  -              -          -           -      -  no fix           -/3"
            ])
    }

    @Test("an acceleration is a line per sample, each with its own time")
    func acceleration() throws {
        #expect(
            try format().rows(of: Examples.reading(Examples.acceleration)) == [
                local(1) + "  accelerometer    +0.012    -0.034    +9.807",
                local(1.02) + "  accelerometer    +0.500    -1.000   -10.250",
            ])
    }

    @Test("an orientation is a line with the word for it")
    func orientation() throws {
        #expect(
            try format().rows(of: Examples.reading(Examples.orientation)) == [local(2) + "  orientation    left-up"])
    }

    @Test("a reading of an unknown kind is mentioned, not hidden")
    func unknownKind() throws {
        let reading = try Examples.reading(["resource": "compass", "sequence": 1, "timestampNanoseconds": 0])
        #expect(try format().rows(of: reading).first?.contains("that this sensorctl does not know") == true)
    }

    @Test("grants, states and gaps are lines of text")
    func events() throws {
        var format = try format()
        let grant = try StreamEvent.grant(Grant(Parameters(Examples.grant)), revision: 2)
        #expect(
            format.line(about: grant, atNanoseconds: 0)
                == received(0)
                + "  accelerometer  a reading every 20 ms, gathered for 1 s, the device measures every 10 ms")
        let gap = try StreamEvent.gap(Gap(Parameters(Examples.gap)))
        #expect(
            format.line(about: gap, atNanoseconds: 3_000_000_000)
                == received(3)
                + "  accelerometer  gap: 12 readings missing in 240 ms, because the device's buffer overflowed, "
                + "beginning at " + local(1, "HH:mm:ss.SSS"))
        #expect(
            format.line(about: .resource(try Examples.resource(0)), atNanoseconds: 0)
                == received(0) + "  location       active")
        #expect(format.line(about: .subscription("5f3a"), atNanoseconds: 0)?.hasPrefix("subscription 5f3a") == true)
    }

    @Test("a state is shown when it changes, not whenever another property of the resource does")
    func repeatedState() throws {
        var format = try format()
        let event = StreamEvent.resource(try Examples.resource(0))
        #expect(format.line(about: event, atNanoseconds: 0) != nil)
        #expect(format.line(about: event, atNanoseconds: 1) == nil)
        #expect(format.line(about: .resource(try Examples.resource(1)), atNanoseconds: 2) != nil)
    }

    @Test("grants that match the request are not shown; others are")
    func openingLines() throws {
        var format = TextFormat(
            clock: Examples.clock, style: Style(isOn: false),
            news: News(isVerbose: false, asked: [Request(resource: "location"), try Request("accelerometer@1us")]))
        func line(_ event: StreamEvent) -> String? { format.line(about: event, atNanoseconds: 0) }
        func location(_ state: String) throws -> StreamEvent {
            guard case .object(let object) = Examples.resources[0] else { throw UsageError("no object") }
            let members = object.members.map { ($0.key, $0.key == "state" ? JSONValue.string(state) : $0.value) }
            return .resource(try Resource(Parameters(JSONObject(members))))
        }
        func grant(_ resource: String, _ interval: Int64) throws -> StreamEvent {
            .grant(
                try Grant(
                    Parameters([
                        "resource": .string(resource), "intervalNanoseconds": .integer(interval), "batchNanoseconds": 0,
                    ])), revision: nil)
        }
        #expect(line(.subscription("5f3a")) == nil)
        for state in ["idle", "starting", "active"] { #expect(line(try location(state)) == nil) }
        // Any interval matched; then it is known.
        #expect(line(try grant("location", 1_000_000_000)) == nil)
        #expect(line(try grant("location", 1_000_000_000)) == nil)
        #expect(line(try grant("location", 2_000_000_000))?.contains("every 2 s") == true)
        #expect(line(try grant("accelerometer", 250_000))?.contains("every 250 µs") == true)
        #expect(line(try grant("accelerometer", 250_000)) == nil)
        // Nothing was known of a resource that was added meanwhile.
        #expect(line(try grant("orientation", 0))?.contains("every sample") == true)
        #expect(line(try location("stale"))?.contains("stale") == true)
        #expect(line(try location("stale")) == nil)
        #expect(line(try location("starting")) == nil)
        #expect(line(try location("active"))?.hasSuffix("active") == true)
        #expect(line(try location("active")) == nil)
    }

    @Test("a kind has a heading of its columns once, before its first reading")
    func headings() throws {
        var format = try format()
        #expect(
            format.heading(for: try Examples.reading(Examples.acceleration)) == [
                "TIME                           RESOURCE         X m/s²    Y m/s²    Z m/s²"
            ])
        #expect(format.heading(for: try Examples.reading(Examples.acceleration)).isEmpty)
        #expect(
            format.heading(for: try Examples.reading(Examples.location)) == [
                "TIME                           RESOURCE           LATITUDE      LONGITUDE   ALTITUDE       SPEED  TRACK"
                    + "  FIX              SATELLITES"
            ])
    }

    @Test("UTC is shown on request, with its zone")
    func utc() throws {
        let clock = WallClock(bootRealtimeNanoseconds: Examples.clock.bootRealtimeNanoseconds, isUTC: true)
        #expect(clock.stamp(4_512_345_678) == "2026-11-21 12:00:04.512Z")
        #expect(clock.second(-1) == "2026-11-21 11:59:59Z")
        #expect(clock.timeOfDay(0) == "12:00:00.000")
    }

    @Test("a device cannot send commands to the terminal")
    func controlCharacters() throws {
        var format = try format()
        let line = format.line(about: .resource(try Examples.resource(1)), atNanoseconds: 0)
        #expect(line?.hasSuffix("unavailable: no \\u001b[31mdevice") == true)
    }

    @Test("colours are optional")
    func colours() throws {
        let reading = try Examples.reading(Examples.location)
        #expect(try !format().rows(of: reading)[0].contains("\u{1B}"))
        #expect(try format(isColoured: true).rows(of: reading)[0].contains("\u{1B}[1mlocation     \u{1B}[0m"))
    }
}
