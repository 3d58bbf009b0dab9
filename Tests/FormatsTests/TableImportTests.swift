import Readings
import Testing

@testable import Formats

@Suite("A table of another program") struct TableImportTests {
    private static func samples(_ text: String, _ names: String? = nil, interval: Int64? = nil) throws
        -> Imported
    {
        try TableImport.samples(Array(text.utf8), naming: names, intervalNanoseconds: interval)
    }

    @Test(
        "of accelerations is recognised",
        arguments: [
            ("time,x,y,z\n0.00,1,2,3\n0.01,1,2,3\n", 10_000_000, 1.0),
            (
                "\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\",\"Absolute\"\n"
                    + "1.5E-1,1,2,3,9\n1.6E-1,1,2,3,9\n", 10_000_000, 1.0
            ),
            (
                "time,seconds_elapsed,z,y,x\n1700000000000000000,0.1,3,2,1\n1700000000005000000,0.105,3,2,1\n",
                5_000_000, 1.0
            ),
            ("timestamp;AccelX;AccelY;AccelZ\n1700000000000;1;2;3\n1700000000020;1;2;3\n", 20_000_000, 1.0),
            ("t [ms]\tgFx\tgFy\tgFz\n5\t1\t2\t3\n7\t1\t2\t3\n", 2_000_000, 9.80665),
            (
                "Date,ax (g),ay (g),az (g)\n2026-01-01 10:00:00.0,1,2,3\n2026-01-01 10:00:00.1,1,2,3\n", 100_000_000,
                9.80665
            ),
            (
                "resource,sequence,timestampNanoseconds,time,x,y,z\naccelerometer,4,77,2026-01-01T10:00:00Z,1,2,3\n"
                    + "accelerometer,,80,2026-01-01T10:00:00Z,1,2,3\n", 3, 1.0
            ),
        ])
    func accelerations(text: String, nanoseconds: Int64, factor: Double) throws {
        let samples = try Self.samples(text).samples
        #expect(samples.map(\.offsetNanoseconds) == [0, nanoseconds])
        #expect(samples[0].measurement == .values(Acceleration(x: factor, y: 2 * factor, z: 3 * factor)))
    }

    @Test("of this program has the time of day of its first row, whatever the timestamps begin at")
    func own() throws {
        let text = "resource,sequence,timestampNanoseconds,time,x,y,z\na,4,77,2026-01-01T10:00:00Z,1,2,3\n"
        #expect(try Self.samples(text).utcMicroseconds == 1_767_261_600_000_000)
    }

    @Test("knows all fields of a location")
    func fields() throws {
        #expect(Set(LocationColumn.otherNamesByField.keys).isSubset(of: LocationField.all.map(\.name)))
        var location = Location(fix: .threeDimensional)
        location.utcMicroseconds = 1_767_261_600_000_000
        for (index, field) in LocationField.all.enumerated() {
            field.put(field.words.isEmpty ? Double(index + 1) : 3, into: &location)
        }
        let names = ["timestampNanoseconds", "fix", "utcMicroseconds"] + LocationField.all.map(\.name)
        let cells = ["5", "3d", "1767261600000000"] + LocationField.all.map { $0.text(of: location) }
        let text = [names, cells].map { $0.joined(separator: ",") + "\n" }.joined()
        #expect(try Self.samples(text).samples.map(\.measurement) == [.location(location)])
    }

    @Test("with unusual names is read by the given columns")
    func named() throws {
        let text = "when,a,b,c,x\n10,1,2,3,9\n30,1,2,3,9\n"
        let samples = try Self.samples(text, "x=a:g,y=b,z=c,time=when:us").samples
        #expect(samples.map(\.offsetNanoseconds) == [0, 20_000])
        #expect(samples[0].measurement == .values(Acceleration(x: 9.80665, y: 19.6133, z: 29.41995)))
        #expect(try Self.samples(text, "x=a,y=b,z=c", interval: 7).samples.map(\.offsetNanoseconds) == [0, 7])
    }

    @Test("with a unit at any of its columns is in that unit, and of the kind that uses it")
    func units() throws {
        let text = "t,a,b,c\n0,1,2,3\n"
        for names in ["x=a:g,y=b,z=c", "x=a,y=b,z=c:g", "x=a:g,y=b:g,z=c:g"] {
            #expect(
                try Self.samples(text, names).samples[0].measurement
                    == .values(Acceleration(x: 9.80665, y: 19.6133, z: 29.41995)))
        }
        let degree = Double.pi / 180
        let turning = Measurement.values(AngularVelocity(x: degree, y: 2 * degree, z: 3 * degree))
        #expect(try Self.samples(text, "x=a,y=b,z=c:deg/s").samples.map(\.measurement) == [turning])
        #expect(try Self.samples("t,x (°/s),y (°/s),z (°/s)\n0,1,2,3\n").samples.map(\.measurement) == [turning])
        #expect(try Self.samples("t,gyro_x,gyro_y,gyro_z\n0,1,2,3\n").samples[0].measurement.kind == .angularVelocity)
    }

    @Test("of locations is recognised, with the units after the names")
    func locations() throws {
        let text =
            "Time,Lat,Lng,Elevation (ft),Speed (km/h),Course,Satellites,HDOP\n"
            + "2026-01-01T10:00:00Z,48.5,-11.5,1000,36,360,9,0.8\n2026-01-01T10:00:02Z,,,,,,,\n"
            + "2026-01-01T10:00:03Z,48.6,-11.6,NaN,-1,-1,,\n"
        let imported = try Self.samples(text)
        #expect(imported.samples.map(\.offsetNanoseconds) == [0, 3_000_000_000])
        #expect(imported.utcMicroseconds == 1_767_261_600_000_000)
        var expected = Location(fix: .threeDimensional)
        expected.utcMicroseconds = imported.utcMicroseconds
        (expected.latitudeDegrees, expected.longitudeDegrees, expected.altitudeMeters) = (48.5, -11.5, 1000 * 0.3048)
        (expected.speedMetersPerSecond, expected.trackDegrees) = (10, 0)
        (expected.satellitesUsed, expected.horizontalDilution) = (9, 0.8)
        #expect(imported.samples[0].measurement == .location(expected))
        expected = Location(fix: .twoDimensional)
        (expected.latitudeDegrees, expected.longitudeDegrees) = (48.6, -11.6)
        expected.utcMicroseconds = 1_767_261_603_000_000
        #expect(imported.samples[1].measurement == .location(expected))
    }

    @Test(
        "that cannot be read is refused with a remedy",
        arguments: [
            ("a,b\n1,2\n", nil, "--columns"), ("x,y,z\n1,2,3\n", nil, "--interval"), ("x,y,z\n", nil, "no row"),
            ("t,x,y,z\n1,2,3,4\n", "x=x:g,z=z:mg", "'g' and 'mg'"),
            ("t,x,y,z (m)\n1,2,3,4\n", nil, "'m' is not a unit"),
            ("t,x,y,z\n1,2,3,4\n", "x=x:deg/s,z=z:mg", "'deg/s' and 'mg'"),
            ("t,x,y\n1,2,3\n", "x=x,y=y", "all of"), ("t,x,y,z\n1,2,3,4\n", "x=q", "'q'"),
            ("t,x,y,z\n1,2,3,4\n", "bogus", "time=NAME"), ("t,x,y,z\n1,2,3,4\n", "time=t:weeks", "weeks"),
            ("t,lat,lon\n1,91,0\n", nil, "latitudeDegrees"), ("t,lat,lon\n2,1,0\n1,1,0\n", nil, "not later"),
            ("lat,lon,speed (furlongs)\n1,1,1\n", nil, "furlongs"), ("t,x,y,z\n1,1,1,1\n1e400,1,1,1\n", nil, "1e400"),
            ("t,x,y,z\n1,\"1,5\",1,1\n", nil, "1,5"),
        ] as [(String, String?, String)])
    func refused(text: String, names: String?, words: String) {
        let error = #expect(throws: FormatError.self) { try Self.samples(text, names) }
        #expect(error.map { "\($0)".contains(words) } == true, "\(String(describing: error))")
    }
}
