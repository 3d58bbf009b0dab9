import Formats
import GPX
import Readings
import Replay
import Testing

@testable import sensorctl

/// Every import can be replayed, and files for which that is impossible are refused at the import.
@Suite struct RecordingOutputTests {
    /// Imports a file; nil if it is refused.
    private static func imported(_ text: String, interval: Int64?) -> [UInt8]? {
        let content = FileContent(Array(text.utf8))
        var output = RecordingOutput(resource: nil)
        var bytes: [UInt8] = []
        let take: ImportedSample.Taker = { (sample, line) throws(FormatError) in
            bytes += try output.add(sample, line: line)
        }
        do throws(FormatError) {
            switch try content.format() {
            case .gpx: _ = try GPXReader.read(content, intervalNanoseconds: interval, take)
            case .nmea: _ = try NMEAReader.read(content, take)
            case .csv: _ = try TableImport.read(content, naming: nil, intervalNanoseconds: interval, take)
            case .foreign: return nil
            }
        } catch { return nil }
        bytes += output.rest()
        return output.count > 0 ? bytes : nil
    }

    /// A table of numbers in a row that is as long as wanted.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }

        mutating func pick(_ texts: [String]) -> String { texts[roll(texts.count)] }
    }

    private static let numbers = [
        "0", "1", "-1", "3.5", "89.9", "-179.99", "360", "1e5", "1e-300", "1e300", "1e308", "-1e308", "1e400", "NaN",
        "",
        "9223372036854775807", "-9223372036854775808", "0.1", "12", "99999", "-20000",
    ]
    private static let times = [
        "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "2026-01-01T00:00:01.000001Z", "2035-12-30T00:00:00Z",
        "2036-01-09T00:00:00Z", "1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z", "2999-01-01T00:00:00+14:00",
    ]

    private static func table(_ dice: inout Dice) -> String {
        if dice.roll(3) == 0 { return sensors(&dice) }
        let isLocation = dice.roll(2) == 0
        let header = isLocation ? "time,lat,lon,fix,track,sat,utcMicroseconds,leapSeconds" : "t,x,y,z"
        let rows = (0..<(1 + dice.roll(5))).map { index -> String in
            let plain = ["\(index)", "\(index)e8", "\(index)e17", "17\(index)0000000000000000"]
            let time = dice.roll(3) == 0 ? dice.pick(times) : dice.pick(plain)
            guard isLocation else { return ([time] + (0..<3).map { _ in dice.pick(numbers) }).joined(separator: ",") }
            let fix = dice.pick(["none", "2d", "3d", ""])
            let rest = (0..<4).map { _ in dice.pick(numbers) }
            return ([time, dice.pick(numbers), dice.pick(numbers), fix] + rest).joined(separator: ",")
        }
        return ([header] + rows).joined(separator: "\n") + "\n"
    }

    /// Two sensors, each with a rate of its own.
    private static func sensors(_ dice: inout Dice) -> String {
        let rows = (0..<(2 + dice.roll(8))).map { index -> String in
            let time = dice.roll(4) == 0 ? dice.pick(["\(dice.roll(9))", "1e9", "-3", ""]) : "\(index)"
            let acceleration = dice.roll(2) == 0 ? "1,2,3" : ",,"
            return "\(time),\(acceleration),\(dice.pick(["20", "", "21.5"]))"
        }
        return (["t,ax,ay,az,temp"] + rows).joined(separator: "\n") + "\n"
    }

    private static func gpx(_ dice: inout Dice) -> String {
        let ways = (0..<(1 + dice.roll(4))).map { _ -> String in
            switch dice.roll(6) {
            case 0: points("wpt", &dice)
            case 1: "<rte>\(points("rtept", &dice))</rte>"
            default:
                "<trk>" + (0..<(1 + dice.roll(3))).map { _ in "<trkseg>\(points("trkpt", &dice))</trkseg>" }.joined()
                    + "</trk>"
            }
        }
        return "<gpx>\(ways.joined())</gpx>"
    }

    private static func points(_ name: String, _ dice: inout Dice) -> String {
        (0..<(1 + dice.roll(5))).map { _ -> String in
            let time = dice.roll(4) == 0 ? "" : "<time>\(dice.pick(times))</time>"
            let more = dice.pick(["", "<fix>none</fix>", "<sat>9</sat>", "<course>360</course>", "<ele>1e5</ele>"])
            return
                "<\(name) lat=\"\(dice.pick(["1", "-90", "90.0"]))\" lon=\"\(dice.pick(["180", "1e1"]))\">\(time)\(more)</\(name)>"
        }.joined()
    }

    private static func log(_ dice: inout Dice) -> String {
        (0..<(1 + dice.roll(6))).map { _ -> String in
            let time = dice.pick(["000000", "235959", "120000.5", "", "240000"])
            let date = dice.pick(["010126", "311299", "", "999999", "010100"])
            return
                "$GPRMC,\(time),\(dice.pick(["A", "V"])),5030.0,N,01030.0,E,\(dice.pick(numbers)),\(dice.pick(numbers)),\(date),,,\n"
        }.joined()
    }

    @Test("every imported recording can be replayed completely")
    func playable() throws {
        var dice = Dice(state: 15)
        var accepted = 0
        for round in 0..<2_000 {
            let text = [Self.table, Self.gpx, Self.log][round % 3](&dice)
            let intervals: [Int64] = [1, 1_000_000_000, .max / 2, .max]
            let interval = dice.roll(3) == 0 ? intervals[dice.roll(4)] : nil
            guard let bytes = Self.imported(text, interval: interval) else { continue }
            accepted += 1
            let recording = try #require(
                try? Recording(parsing: bytes), "\(text)\n\(String(decoding: bytes, as: UTF8.self))")
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            let samples = lines.count { $0.contains("\"sequence\"") }
            #expect(recording.tracks.reduce(0) { $0 + $1.sampleCount } == samples)
            var last: [Substring: Int64] = [:]
            for line in lines where line.contains("\"sequence\"") {
                let name = try #require(line.firstMatch(of: /"resource":"([^"]*)"/)?.1)
                let time = try #require((line.firstMatch(of: /"timestampNanoseconds":(\d+)/)?.1).flatMap { Int64($0) })
                #expect(last[name].map { $0 < time } ?? true, "\(text)\n\(String(decoding: bytes, as: UTF8.self))")
                last[name] = time
            }
        }
        #expect(accepted > 300)
    }

    @Test("sensors at different rates count from the earliest of them")
    func rates() throws {
        let rows = "0,,,,20\n1,1,2,3,\n2,1,2,3,\n3,1,2,3,21\n"
        let bytes = try #require(Self.imported("t,ax,ay,az,temp\n" + rows, interval: nil))
        let recording = try #require(try? Recording(parsing: bytes))
        #expect(recording.tracks.map(\.sampleCount).sorted() == [2, 3])
        let text = String(decoding: bytes, as: UTF8.self)
        let times = text.matches(of: /"timestampNanoseconds":(\d+)000000000/).map { String($0.1) }
        #expect(text.contains("\"timestampNanoseconds\":0,") && times == ["1", "2", "3", "3"])
    }

    @Test("several sensors are resources, and between two pieces there is a gap that nobody can count")
    func several() throws {
        var output = RecordingOutput(resource: nil)
        var bytes: [UInt8] = []
        for (time, sensor, piece) in [(5, 0, 1), (6, 1, 1), (7, 0, 1), (9, 0, 2), (9, 1, 1)] as [(Int64, Int, Int)] {
            let values = Measurement.values(Acceleration(x: 1, y: 2, z: 3))
            bytes += try output.add(
                ImportedSample(offsetNanoseconds: time, measurement: values, sensor: sensor, piece: piece), line: 1)
        }
        bytes += output.rest()
        #expect(output.summary == "3 readings of accelerometer, 2 readings of accelerometer:1, 00:00:00")
        let recording = try #require(try? Recording(parsing: bytes))
        #expect(recording.tracks.map(\.sampleCount) == [3, 2])
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(
            lines[4]
                == "{\"gap\":{\"resource\":\"accelerometer\",\"cause\":\"deviceLost\",\"fromNanoseconds\":2,\"untilNanoseconds\":4}}"
        )
        output = RecordingOutput(resource: "boat")
        _ = try output.add(
            ImportedSample(offsetNanoseconds: 0, measurement: .values(Acceleration(x: 1, y: 2, z: 3))), line: 1)
        #expect(throws: FormatError.self) {
            try output.add(
                ImportedSample(offsetNanoseconds: 0, measurement: .values(AngularVelocity(x: 1, y: 2, z: 3))), line: 1)
        }
    }

    @Test("a recording that is too long for replay is refused")
    func long() {
        let most = 4 << 20
        var output = RecordingOutput(resource: String(repeating: "a", count: 60), maximumBytes: most)
        let sample = ImportedSample(offsetNanoseconds: 0, measurement: .values(Acceleration(x: 1, y: 2, z: 3)))
        var length = 0
        let error = #expect(throws: FormatError.self) {
            while length < most * 2 { length += try output.add(sample, line: 7).count }
        }
        #expect(error?.line == 7 && length <= most)
        #expect("\(error.map(String.init(describing:)) ?? "")".contains("longer than 4 MiB"))
    }
}
