import Formats
import Platform
import Readings
import Testing

@testable import sensorctl

/// What the lines of a feed mean.
@Suite struct FeedLinesTests {
    private static let boot: Int64 = 1_000_000_000_000

    private static func samples(_ kind: Kind, _ lines: String...) throws -> [LineSample] {
        var reader = FeedLines(kind: kind)
        return try lines.flatMap { try reader.samples(in: Array($0.utf8)) }
    }

    private static func fault(_ kind: Kind, _ lines: String...) -> String {
        var reader = FeedLines(kind: kind)
        var words = ""
        for line in lines {
            do throws(FormatError) { _ = try reader.samples(in: Array(line.utf8)) } catch { words = error.words }
        }
        return words
    }

    private static func acceleration(_ x: Double, _ y: Double, _ z: Double, _ time: LineTime? = nil) -> LineSample {
        LineSample(time: time, measurement: .values(Values(.acceleration, SIMD4(x, y, z, 0))))
    }

    @Test(
        "numbers are the channels in their order, whatever separates them",
        arguments: [
            "1,-2,9.5", "1;-2;9,5", "1\t-2\t9.5", "  1 -2   9.5 ", "1, -2, 9.5", "\"1\",\"-2\",\"9.5\"", "1e0 -2. +9.5",
        ])
    func numbers(line: String) throws {
        #expect(try Self.samples(.acceleration, line) == [Self.acceleration(1, -2, 9.5)])
    }

    @Test(
        "one number more, in front, is the time",
        arguments: [
            ("12345678901234,1,2,3", LineTime.boot(12_345_678_901_234)),
            ("1790000000.25,1,2,3", .utc(1_790_000_000_250_000)),
            ("2026-11-21T12:03:04.5Z 1 2 3", .utc(1_795_262_584_500_000)),
            ("2026-11-21 12:03:04.5;1;2;3", .utc(1_795_262_584_500_000)), ("5230,1,2,3", .foreign),
            ("12.25,1,2,3", .foreign),
        ])
    func times(line: String, time: LineTime) throws {
        #expect(try Self.samples(.acceleration, line) == [Self.acceleration(1, 2, 3, time)])
        #expect(try Self.samples(.acceleration, ",1,2,3") == [Self.acceleration(1, 2, 3)])
    }

    @Test("a line of names gives another order, units and a time; a later one replaces it")
    func names() throws {
        let samples = try Self.samples(
            .acceleration, "# MPU6050", "z,y,x,temp", "3,2,1,36.5", "t_ms,ax (g),ay (g),az (g)", "5230,0,0,1")
        #expect(samples == [Self.acceleration(1, 2, 3), Self.acceleration(0, 0, 9.80665, .foreign)])
        let light = try Self.samples(.illuminance, "t lux", "1790000000 12")
        #expect(light.map(\.time) == [.utc(1_790_000_000_000_000)])
    }

    @Test("names may stand before their values")
    func pairs() throws {
        #expect(try Self.samples(.acceleration, "x:1,y:2,z:3", "ax: 4 ay:5 az:6".replacing(": ", with: ":")).count == 2)
        #expect(try Self.samples(.acceleration, #"{"z":3,"x":1,"y":2}"#) == [Self.acceleration(1, 2, 3)])
        let timed = try Self.samples(.acceleration, #"{"timestampNanoseconds":77,"x":1,"y":2,"z":3,"w":null,"n":[1]}"#)
        #expect(timed == [Self.acceleration(1, 2, 3, .boot(77))])
        let near = try Self.samples(.proximity, #"{"near":true,"raw":7}"#)
        #expect(near == [LineSample(time: nil, measurement: .values(Values(.proximity, SIMD4(1, 7, 0, 0))))])
    }

    @Test("what watch writes is read back: a batch, its news, and csv")
    func ownOutput() throws {
        let reading = #"""
            {"resource":"accelerometer:1","sequence":4,"timestampNanoseconds":100,"values":{"columns":{"x":[1,2.5],"y":[2,2],"z":[3,3]},"timestampsNanoseconds":[100,150]}}
            """#
        let expected = [Self.acceleration(1, 2, 3, .boot(100)), Self.acceleration(2.5, 2, 3, .boot(150))]
        let news = [
            #"{"subscription":"5f3a"}"#, #"{"grant":{"resource":"a"},"revision":1}"#, #"{"gap":{"resource":"a"}}"#,
            #"{"resource":{"name":"a"},"atNanoseconds":7}"#, #"{"ended":"shutdown"}"#,
        ]
        var reader = FeedLines(kind: .acceleration)
        for line in news { #expect(try reader.samples(in: Array(line.utf8)) == []) }
        #expect(try reader.samples(in: Array(reading.utf8)) == expected)
        #expect(Self.fault(.angularVelocity, reading).contains("accelerometer"))
        let rows = try Self.samples(
            .acceleration, "resource,sequence,timestampNanoseconds,time,x,y,z",
            "accelerometer,4,100,2026-11-21T12:03:04.5Z,1,2,3", "accelerometer,,150,2026-11-21T12:03:04.5Z,2.5,2,3")
        #expect(rows == expected)
        #expect(
            Self.fault(
                .angularVelocity, "resource,sequence,timestampNanoseconds,time,x,y,z", "accelerometer,4,100,,1,2,3"
            ).contains("accelerometer"))
    }

    @Test("a location has the names of the interface, those of a phone, or gpsd's")
    func locations() throws {
        var expected = Location(fix: .threeDimensional)
        (expected.latitudeDegrees, expected.longitudeDegrees, expected.altitudeMeters) = (48.5, 11.25, 520)
        let phone = try Self.samples(.location, #"{"lat":48.5,"lon":11.25,"altitude":520,"provider":"gps"}"#)
        #expect(phone == [LineSample(time: nil, measurement: .location(expected))])
        let ours = try Self.samples(
            .location,
            #"{"latitudeDegrees":48.5,"longitudeDegrees":11.25,"altitudeMeters":520.0,"timestampNanoseconds":9}"#)
        #expect(ours == [LineSample(time: .boot(9), measurement: .location(expected))])
        let table = try Self.samples(.location, "latitude,longitude,altitude", "48.5,11.25,520")
        #expect(table == phone)
        let tpv =
            #"{"class":"TPV","device":"/dev/x","mode":3,"time":"2026-03-15T10:00:00.000Z","lat":48.5,"lon":11.25,"altMSL":520}"#
        let gpsd = try Self.samples(.location, #"{"class":"SKY","satellites":[]}"#, tpv)
        expected.utcMicroseconds = 1_773_568_800_000_000
        #expect(gpsd == [LineSample(time: .utc(1_773_568_800_000_000), measurement: .location(expected))])
        let none = try Self.samples(.location, #"{"class":"TPV","mode":1}"#)
        #expect(none.map(\.measurement) == [.location(Location(fix: .noPosition))])
        #expect(Self.fault(.location, "$GPGGA,100000,4830.0,N,01115.0,E").contains("gpsd"))
        #expect(Self.fault(.location, "48.5,11.25").contains("latitude and longitude"))
        #expect(Self.fault(.location, #"{"latitudeDegrees":"north"}"#).contains("latitudeDegrees"))
    }

    @Test(
        "a line that cannot be used says why",
        arguments: [
            ("MPU6050 ready", "neither numbers nor"), ("1,2", "has x, y, z"), ("1,2,3,4,5,6", "line of their names"),
            ("1,2,abc", "'abc'"), ("1,,3", "not all of x, y and z"), ("{\"x\":1", "JSON"),
            ("{\"x\":1,\"y\":2}", "x, y"),
            ("{\"class\":\"TPV\",\"mode\":3}", "x, y, z"), ("1,2,1e9", "not a possible acceleration"),
            ("then,1,2,3", "'then' is not a time"), ("{\"values\":{},\"x\":1}", "resource"),
        ])
    func faults(line: String, words: String) {
        let fault = Self.fault(.acceleration, line)
        #expect(fault.contains(words), "\(line): \(fault)")
    }

    @Test("any bytes are a line, and at most a fault", arguments: Kind.all.filter { $0.row.form != .orientation })
    func noise(kind: Kind) {
        var generator = SplitMix64(seed: UInt64(kind.number) + 1)
        let bytes = Array(0...255 as ClosedRange<UInt8>) + Array("0123456789.,;:{}[]\"-+eE\t ".utf8)
        let words = [
            "time", "x", "latitude", "\"values\":", "\"class\":\"TPV\"", "1e308", "-0", "NaN", "inf", "1790000000",
        ]
        var reader = FeedLines(kind: kind)
        var stamps = FeedStamps(stepNanoseconds: nil)
        for _ in 0..<100 {
            var line: [UInt8] = []
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                let word = Array((words.randomElement(using: &generator) ?? "").utf8)
                line += Bool.random(using: &generator) ? word : [bytes.randomElement(using: &generator) ?? 0]
                if Bool.random(using: &generator) { line.append(UInt8(ascii: ",")) }
            }
            let samples = (try? reader.samples(in: line)) ?? []
            let now = ClockPair(bootNanoseconds: 1 << 40, utcNanoseconds: 1 << 60)
            for case .success(let sample) in stamps.stamp(samples, now) {
                #expect(sample.timestampNanoseconds >= 0 && sample.timestampNanoseconds <= now.bootNanoseconds)
            }
        }
    }

    @Test(
        "the words about a hostile line have no control characters",
        arguments: ["\u{0}\u{1}\u{2}", ",,,,,", "{\"\\n\":1}", "{\"\\\"\":1,\"\":2}", "\"", ":::", "x:"])
    func hostile(line: String) {
        for kind in Kind.all where kind.row.form != .orientation {
            let words = Self.fault(kind, line, line)
            #expect(!words.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(words)")
        }
    }
}
