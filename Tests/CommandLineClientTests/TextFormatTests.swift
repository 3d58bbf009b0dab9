import BrokerClient
import Foundation
import Testing
import Varlink

@testable import CommandLineClient

@Suite struct TextFormatTests {
    private func format(isColoured: Bool = false) throws -> TextFormat {
        var format = TextFormat(clock: Examples.clock, style: Style(isOn: isColoured))
        _ = format.begin([try Examples.resource(0), try Examples.resource(1)])
        return format
    }

    /// Local time as Foundation has it.
    private func local(_ seconds: Double) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "HH:mm:ss.SSS"
        return formatter.string(from: Date(timeIntervalSince1970: 1_795_262_400 + seconds))
    }

    @Test("a location is told with units, in local time")
    func location() throws {
        #expect(
            try format().rows(of: Examples.reading(Examples.location)) == [
                local(4.512)
                    + "  location       48.117300°N   11.516700°W   545.4 m   1.2 m/s   84°  3d ±4.1 m  9/12 satellites"
            ])
    }

    @Test("satellites that were asked for have a line each")
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
                local(5) + "  location       no fix", "  galileo 1     elevation  41°  azimuth 173°  38 dB-Hz  used",
                "  PRN 7       ",
            ])
    }

    @Test("what a location does not know is left out")
    func noFix() throws {
        #expect(
            try format().rows(of: Examples.reading(Examples.noFix)) == [
                local(5) + "  location       no fix  3 satellites in view"
            ])
    }

    @Test("an acceleration is a line a sample, each at its own time")
    func acceleration() throws {
        #expect(
            try format().rows(of: Examples.reading(Examples.acceleration)) == [
                local(1) + "  accelerometer  x  +0.012  y  -0.034  z  +9.807 m/s²",
                local(1.02) + "  accelerometer  x  +0.500  y  -1.000  z -10.250 m/s²",
            ])
    }

    @Test("an orientation is a line with the word for it")
    func orientation() throws {
        #expect(
            try format().rows(of: Examples.reading(Examples.orientation)) == [local(2) + "  orientation    left-up"])
    }

    @Test("a reading of a later kind is told of, not hidden")
    func unknownKind() throws {
        let reading = try Examples.reading(["resource": "compass", "sequence": 1, "timestampNanoseconds": 0])
        #expect(try format().rows(of: reading).first?.contains("does not know") == true)
    }

    @Test("grants, states and gaps are lines of words")
    func events() throws {
        var format = try format()
        let grant = try StreamEvent.grant(Grant(Parameters(Examples.grant)), revision: 2)
        #expect(
            format.line(about: grant, atNanoseconds: 0)
                == local(0)
                + "  accelerometer  a reading every 20 ms, gathered for 1 s, the device makes one every 10 ms")
        let gap = try StreamEvent.gap(Gap(Parameters(Examples.gap)))
        #expect(
            format.line(about: gap, atNanoseconds: 0)
                == local(1)
                + "  accelerometer  gap: 12 readings missing in 240 ms, because the device's buffer ran over")
        #expect(
            format.line(about: .resource(try Examples.resource(0)), atNanoseconds: 0)
                == local(0) + "  location       active")
        #expect(format.line(about: .subscription("5f3a"), atNanoseconds: 0)?.hasPrefix("subscription 5f3a") == true)
    }

    @Test("a state is told when it changes, not whenever something else of the resource does")
    func repeatedState() throws {
        var format = try format()
        let event = StreamEvent.resource(try Examples.resource(0))
        #expect(format.line(about: event, atNanoseconds: 0) != nil)
        #expect(format.line(about: event, atNanoseconds: 1) == nil)
        #expect(format.line(about: .resource(try Examples.resource(1)), atNanoseconds: 2) != nil)
    }

    @Test("a device cannot send commands to the terminal")
    func controlCharacters() throws {
        var format = try format()
        let line = format.line(about: .resource(try Examples.resource(1)), atNanoseconds: 0)
        #expect(line?.hasSuffix("unavailable: no ?[31mdevice") == true)
    }

    @Test("there are colours only where they are wanted")
    func colours() throws {
        let reading = try Examples.reading(Examples.location)
        #expect(try !format().rows(of: reading)[0].contains("\u{1B}"))
        #expect(try format(isColoured: true).rows(of: reading)[0].contains("\u{1B}[1mlocation     \u{1B}[0m"))
    }
}
