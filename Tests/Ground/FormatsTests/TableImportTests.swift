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
            ("t,x,y,z\n1,2,3,4\n", "x=x:g,z=z:mg", "'g' and 'mg'"), ("1,2,3\n4,5,6\n", nil, "no header"),
            ("2026-05-01T10:00:00Z,48.8,2.2\n2026-05-01T10:00:01Z,48.8,2.2\n", nil, "no header"),
            ("t,x,y,z (m)\n1,2,3,4\n", nil, "'m' is not a unit"),
            ("t,x,y,z\n1,2,3,4\n", "x=x:deg/s,z=z:mg", "'deg/s' and 'mg'"),
            ("t,p,q\n1,2,3\n", "x=p,y=q", "all of"), ("t,x,y,z\n1,2,3,4\n", "x=q", "'q'"),
            ("t,x,y,z\n1,2,3,4\n", "bogus", "time=NAME"), ("t,x,y,z\n1,2,3,4\n", "time=t:weeks", "weeks"),
            ("t,lat,lon\n1,91,0\n", nil, "latitudeDegrees"), ("t,x,y,z\nx,1,1,1\n", "time=t:s", "no time"),
            ("date,x,y,z\n1/2/2026 10:00,1,2,3\n", nil, "date:dmy"), ("time,x,y,z\n05:30.5,1,2,3\n", nil, "--interval"),
        ] as [(String, String?, String)])
    func refused(text: String, names: String?, words: String) {
        let error = #expect(throws: FormatError.self) { try Self.samples(text, names) }
        #expect(error.map { "\($0)".contains(words) } == true, "\(String(describing: error))")
    }

    @Test(
        "is read without what is wrong in it, and reports what that is",
        arguments: [
            ("t,lat,lon\n1,1,0\n2,91,0\n3,1,0\n", [0, 2], "1 row whose position cannot be (line 3)"),
            ("t,lat,lon\n2,1,0\n1,1,0\n3,1,0\n", [0, 2], "1 row not later than the one before (line 2)"),
            ("t,lat,lon\n2,1,0\n3,1,0\n1,1,0\n4,1,0\n", [0, 1, 2], "1 row not later than the one before (line 4)"),
            ("t,lat,lon\n1,1,0\n1,1,0\n2,1,0\n", [0, 1], "1 row not later"),
            ("t,lat,lon\n1,1,0\n9,1,0\n2,1,0\n3,1,0\n", [0, 1, 2], "1 row not later than the one before (line 3)"),
            ("t,lat,lon\n1,1,0\n,1,0\n3,1,0\n", [0, 2], "1 row without a time (line 3)"),
            ("t,lat,lon\n1,1,0\n-,1,0\n3,1,0\n", [0, 2], "1 row without a time (line 3)"),
            ("t,lat,lon\n1,1,0\nsoon,1,0\n3,1,0\n", [0, 2], "1 row whose time cannot be read (line 3)"),
            ("t,lat,lon\n1,1,0\n2,NaN,NaN\n3,,\n4,1,0\n", [0, 3], "2 rows without a position (the first in line 3)"),
            ("t,lat,lon\n1,1,0\n2,here,0\n3,1,0\n", [0, 2], "1 row whose 'lat' is not a number (line 3)"),
            ("t,lat,lon\n1,1,0\n2,1,0,5\n3,1,0,\n", [0, 2], "1 row with more cells than the header (line 3)"),
            ("t,lat,lon\n1,1,0\n2,1,0\n3,1", [0, 1], "1 row cut off in the middle (line 4)"),
            ("t,lat,lon\n1,1,0\n2,1,0\n3,1\0\0\0", [0, 1], "1 row damaged by zeros"),
            ("t,lat,lon\n1,1,0\n2,1,0\n3,1,\"0\n", [0, 1], "line 4: a quote that is never closed"),
            ("t,x,y,z\n1,1,1,1\n2,1e9,1,1\n3,1,1,1\n", [0, 2], "1 row that cannot be (line 3)"),
            ("t,x,y,z\n1,1,1,1\n2,1,,1\n3,1,1,1\n", [0, 2], "1 row of which not all of x, y and z have a value"),
            ("t,lat,lon,speed,speed,name\n1,1,0,2,3,a\n2,1,0,2,3,a\n", [0, 1], "2 columns (speed, name)"),
            ("lat,lon,time,speed (furlongs)\n1,1,1,1\n1,1,2,1\n", [0, 1], "1 column (speed (furlongs))"),
            ("time,x,y,z\n10:00,1,1,1\n2026-11-21 11:00,1,1,1\n11:00,1,1,1\n", [0, 3600], "whose time cannot be read"),
        ])
    func sloppy(text: String, seconds: [Int64], words: String) throws {
        let imported = try Self.samples(text)
        #expect(imported.offsets == seconds.map { $0 * 1_000_000_000 })
        #expect(imported.notes.texts.joined(separator: "; ").contains(words), "\(imported.notes.texts)")
    }

    @Test(
        "has times in many spellings",
        arguments: [
            "date,time,x,y,z\n2026-05-01,10:00:00,1,2,3\n", "DATE,TIME,X,Y,Z\n260501,100000,1,2,3\n",
            "date,time,x,y,z\n01.05.2026,10:00:00.000,1,2,3\n", "x;y;z;Datum;utc date;utc\n1;2;3;;20260501;100000.00\n",
            "timestamp,x,y,z\n2026/05/01 10:00:00,1,2,3\n", "time,x,y,z\n2026-05-01T10:00:00.000+0000,1,2,3\n",
            "time,x,y,z\n01.05.2026 12:00:00 +02:00,1,2,3\n", "time,x,y,z\n2026-05-01 10:00:00 UTC,1,2,3\n",
            "time,x,y,z\n5/1/2026 10:00:00 AM,1,2,3\n5/13/2026 9:00:00 PM,1,2,3\n",
            "Time (UTC),x,y,z\n2026-05-01 10-00-00_000,1,2,3\n", "utcMicroseconds,x,y,z\n1777629600000000,1,2,3\n",
            "time_ms,x,y,z\n1777629600000,1,2,3\n", "unix,x,y,z\n1777629600.0,1,2,3\n",
            "loggingTime(txt),x,y,z\n2026-05-01T12:00:00.000+02:00,1,2,3\n",
            "gw_stamp,x,y,z\n2026-05-01 10:00:00,1,2,3\n",
            "elapsed_us,time,x,y,z\n7,2026-05-01 10:00:00,1,2,3\n",
        ])
    func spellings(text: String) throws {
        #expect(try Self.samples(text).utcMicroseconds == 1_777_629_600_000_000)
    }

    @Test("has times of day that pass midnight, and dates whose order the user states")
    func days() throws {
        let text = "time,x,y,z\n23:59:59.5,1,2,3\n0:00:00,1,2,3\n"
        #expect(try Self.samples(text).samples.map(\.offsetNanoseconds) == [0, 500_000_000])
        for (order, utc) in [("dmy", 1_769_940_000_000_000), ("mdy", 1_767_348_000_000_000)] as [(String, Int64)] {
            #expect(try Self.samples("when,x,y,z\n1/2/2026 10:00,1,2,3\n", "time=when:\(order)").utcMicroseconds == utc)
        }
    }

    @Test(
        "has coordinates and numbers in many spellings",
        arguments: [
            "time;lat;lon;speed\n2026-05-01T10:00:00Z;48,8584;-2,2945;1,5\n",
            "time\tlat\tlon\tspeed\n2026-05-01T10:00:00Z\t48,8584\t-2,2945\t1,5E0\n",
            "time,lat,lon,speed\n2026-05-01T10:00:00Z,\"48,8584\",\"-2,2945\",\"1,5\"\n",
            "DATE,TIME,LATITUDE N/S,LONGITUDE E/W,speed\n260501,100000,48.858400N,002.294500W,1.5\n",
            "time,lat,lon,speed\n2026-05-01T10:00:00Z,N48.8584,W 2.2945,1.5\n",
            "time,lat,lon,speed\n2026-05-01T10:00:00Z,48°51.504'N,\"2°17'40.2\"\"W\",1.5\n",
            "time,lat,N/S,lon,E/W,speed_kmh\n2026-05-01T10:00:00Z,48.8584,N,2.2945,W,5.4\n",
            "time,gps_lat,gps_lon,gps_speed_mps\n2026-05-01T10:00:00Z,48.8584,-2.2945,1.5\n",
            "time,latitudeE7,longitudeE7,speedKmh\n2026-05-01T10:00:00Z,488584000,-22945000,5.4\n",
            "time,LOCATION Latitude : ,LOCATION Longitude : ,LOCATION Speed ( Kmh)\n2026-05-01T10:00:00Z,48.8584,-2.2945,5.4\n",
        ])
    func coordinates(text: String) throws {
        let samples = try Self.samples(text).samples
        guard case .location(let location)? = samples.first?.measurement else { throw CancellationError() }
        #expect(
            abs((location.latitudeDegrees ?? 0) - 48.8584) < 1e-9
                && abs((location.longitudeDegrees ?? 0) + 2.2945) < 1e-9)
        #expect(
            abs((location.speedMetersPerSecond ?? 0) - 1.5) < 1e-9 && location.utcMicroseconds == 1_777_629_600_000_000)
    }

    @Test(
        "does not take a number for another one",
        arguments: ["\"101,325\"", "1.2.3", "1,2", "12:30", "0x10", "1.23.456,7", "48.85X", "5 km/h"])
    func numbers(text: String) throws {
        let imported = try Self.samples("t,pressure\n1,5\n2,\(text)\n")
        #expect(imported.samples.count == 1 && imported.notes.leftOutCount > 0)
    }

    @Test("with several sensors becomes all of them, with their units")
    func several() throws {
        let imported = try Self.samples(
            "time,lat,lon,alt_ft,ax_g,ay_g,az_g,gyro_x (deg/s),gyro_y (deg/s),gyro_z (deg/s),Bx,By,Bz,temp_f,pressure_hPa,lux,voltage_mV,color\n"
                + "0,48.5,11.5,100,0,0,1,180,0,0,20,1,2,212,1000,5,12000,red\n1,,,,,,,,,,,,,32,,,,\n")
        let first = imported.samples.filter { $0.offsetNanoseconds == 0 }.map(\.measurement)
        #expect(Set(first.map(\.kind.wire)).count == 8 && first.count == 8)
        #expect(first.contains(.values(Acceleration(x: 0, y: 0, z: 9.80665))))
        #expect(first.contains(.values(AngularVelocity(x: .pi, y: 0, z: 0))))
        for measurement in first {
            switch measurement {
            case .location(let location): #expect(abs((location.altitudeMeters ?? 0) - 30.48) < 1e-9)
            case .values(let values) where values.kind == .temperature: #expect(abs(values[0] - 100) < 1e-9)
            case .values(let values) where values.kind == .pressure: #expect(values[0] == 100_000)
            case .values(let values) where values.kind == .voltage: #expect(values[0] == 12)
            default: break
            }
        }
        #expect(imported.samples.filter { $0.offsetNanoseconds > 0 }.map(\.measurement.kind) == [.temperature])
        #expect(
            imported.notes.texts == [
                "left out: 1 column (color)",
                "taken for granted, as no column says a unit: the time in s, magnetometer in µT",
            ])
    }

    @Test("with several sensors of a kind becomes all of them, by the numbers in the names")
    func numbered() throws {
        let text = "time,acc1_x,acc1_y,acc1_z,acc2_x,acc2_y,acc2_z,temp,temp2\n0,1,2,3,4,5,6,7,8\n"
        let samples = try Self.samples(text).samples
        #expect(samples.map(\.sensor) == [0, 1, 0, 1])
        #expect(samples[1].measurement == .values(Acceleration(x: 4, y: 5, z: 6)))
        let own =
            "resource,sequence,timestampNanoseconds,time,x,y,z\naccelerometer,0,5,,1,2,3\naccelerometer:1,0,5,,4,5,6\naccelerometer,1,6,,1,2,3\n"
        #expect(
            try Self.samples(own).samples.map { [$0.offsetNanoseconds, Int64($0.sensor)] } == [
                [0, 0], [0, 1], [1, 0],
            ])
    }

    @Test("does not mix names of different sensors, and knows a rotation by its w")
    func schemes() throws {
        #expect(try Self.samples("t,x,y,z,w\n0,0,0,0,1\n").samples[0].measurement.kind == .rotation)
        let gravity = try Self.samples("t,gravityX,gravityY,gravityZ,accX,accY,accZ\n0,0,0,9,1,2,3\n").samples
        #expect(gravity.map(\.measurement.kind) == [.acceleration, .gravity])
        // A heading beside a position is its track.
        let track = try Self.samples("t,lat,lon,heading\n0,1,2,90\n").samples
        guard case .location(let location)? = track.first?.measurement else { throw CancellationError() }
        #expect(track.count == 1 && location.trackDegrees == 90)
    }

    @Test("may begin with lines of text, and have one column")
    func above() throws {
        let imported = try Self.samples("Sensor Logger v1.2\nDevice: Pixel\n\ntime;x;y;z\n0,5;1;2;3\n1,5;1;2;3\n")
        #expect(imported.samples.map(\.offsetNanoseconds) == [0, 1_000_000_000])
        #expect(imported.notes.texts.first == "left out: 2 lines above the header")
        #expect(try Self.samples("temperature\n20\n21\n", interval: 5).samples.map(\.offsetNanoseconds) == [0, 5])
    }

    @Test("in the code page of Windows is read as well, as Excel writes it")
    func windows() throws {
        // ² is 178, µ is 181, ° is 176 and ’ is 146.
        let text =
            "Zeit;Br\u{FC}cke;acc x (m/s\u{B2});acc y (m/s\u{B2});acc z (m/s\u{B2});mag x (\u{B5}T);mag y (\u{B5}T);mag z (\u{B5}T)\r\n"
        let bytes = (text + "0;0;1;2;3;4;5;6\r\n").unicodeScalars.map { UInt8($0.value) }
        let imported = try TableImport.samples(bytes, naming: "time=Zeit", intervalNanoseconds: nil)
        #expect(imported.samples.map(\.measurement.kind) == [.acceleration, .magneticField])
        #expect(imported.notes.texts.first == "left out: 1 column (Brücke)", "\(imported.notes.texts)")
        let degrees = "t,lat,lon\n0,48\u{B0}51\u{92}30\u{94}N,2\u{B0}30\u{92}W\n".unicodeScalars.map { UInt8($0.value) }
        guard
            case .location(let location)? = try TableImport.samples(degrees, naming: nil, intervalNanoseconds: nil)
                .samples.first?.measurement
        else { throw CancellationError() }
        #expect((location.latitudeDegrees, location.longitudeDegrees) == (48.858333333333334, -2.5))
    }

    @Test("may have units in its cells, and a value that is none costs only itself")
    func cellUnits() throws {
        let text =
            "time,lat,lon,HEIGHT(m),speed,temp\n0,48,2,35.0 M,36.0 km/h,\"21,5 °C\"\n1,48,2,ERR,#N/A,70°F\n2,48,2,30 ft,1,5 km/h\n"
        let imported = try Self.samples(text)
        let locations = imported.samples.compactMap { sample -> Location? in
            guard case .location(let location) = sample.measurement else { return nil }
            return location
        }
        #expect(locations.map(\.altitudeMeters) == [35, nil, 9.144])
        #expect(locations.map(\.speedMetersPerSecond) == [10, nil, 1])
        #expect(imported.samples.count == 5)
        #expect(
            imported.notes.texts.first
                == "left out: 1 value of 'HEIGHT(m)', not a number (line 3), 1 value of 'speed', not a number (line 3), "
                + "1 temperature reading whose 'temp' is not a number (line 4)")
    }

    @Test("has no position where its fix is none", arguments: ["0", "none", "No Fix", "false", "invalid", "V"])
    func noFix(word: String) throws {
        for title in ["fix", "VALID", "fix_type"] {
            let samples = try Self.samples("t,lat,lon,\(title)\n0,0,0,\(word)\n1,48,2,3\n").samples
            guard case .location(let location)? = samples.first?.measurement else { throw CancellationError() }
            #expect(location.fix == .noPosition && location.latitudeDegrees == nil, "\(title)")
            #expect(samples.count == 2)
        }
    }

    @Test("with its newest row first is read from its end")
    func newestFirst() throws {
        let rows = (0..<50).map { "2026-05-01T10:00:\($0 < 10 ? "0" : "")\($0)Z,\($0)\n" }
        for times in [rows.reversed() + [], rows[..<2].reversed() + []] {
            let imported = try Self.samples("time,temp_c\n" + times.joined())
            #expect(imported.offsets == times.indices.map { Int64($0) * 1_000_000_000 })
            #expect(imported.utcMicroseconds == 1_777_629_600_000_000)
            #expect(imported.notes.texts == ["its newest row comes first, so it was read from its end"])
        }
        let wrong = try Self.samples("time,temp_c\n" + ([rows[3]] + rows[..<3] + rows[4...]).joined())
        #expect(wrong.samples.count == 49)
    }

    @Test("of raw counts is not refused because of a unit that none of its columns has")
    func rawCounts() {
        let error = #expect(throws: FormatError.self) {
            try Self.samples("millis,AcX,AcY,AcZ,GyX,GyY,GyZ\n0,1,2,3,4,5,6\n")
        }
        #expect(error.map { "\($0)".contains("none of the columns") } == true)
    }

    @Test("in UTF-16 is read as well, as Excel writes it")
    func wide() throws {
        let text = "time\tx\ty\tz (m/s²)\r\n0\t1\t2\t3\r\n"
        for (mark, isLittle) in [([0xFF, 0xFE] as [UInt8], true), ([0xFE, 0xFF], false), ([], true)] {
            let units = text.utf16.flatMap {
                isLittle ? [UInt8($0 & 255), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 255)]
            }
            let imported = try TableImport.samples(mark + units, naming: nil, intervalNanoseconds: nil)
            #expect(imported.samples.map(\.measurement) == [.values(Acceleration(x: 1, y: 2, z: 3))])
        }
    }
}
