import Readings
import Testing

@testable import Formats

@Suite("The times of a table") struct TableTimesTests {
    private static func samples(_ text: String, _ names: String? = nil) throws -> Imported {
        try TableImport.samples(Array(text.utf8), naming: names, intervalNanoseconds: nil)
    }

    @Test(
        "that cannot be cost their row only, even if it is the first",
        arguments: [
            ("time,x,y,z\n0001-01-01T00:00:00Z,1,2,3\n2026-05-01T10:00:00Z,1,2,3\n2026-05-01T10:00:01Z,1,2,3\n", 2),
            ("time,x,y,z\n2026-05-01T10:00:00Z,1,2,3\n2300-01-01T00:00:00Z,1,2,3\n2026-05-01T10:00:01Z,1,2,3\n", 3),
            ("date,time,x,y,z\n0001-01-01,0:00:00,1,2,3\n2026-05-01,10:00:00,1,2,3\n2026-05-01,10:00:01,1,2,3\n", 2),
            ("t,x,y,z\n1e300,1,2,3\n1,1,2,3\n2,1,2,3\n", 2), ("t,x,y,z\n1,1,2,3\n-1e300,1,2,3\n2,1,2,3\n", 3),
            ("time,x,y,z\n10:00:00,1,2,3\n05:30.5,1,2,3\n10:00:01,1,2,3\n", 3),
            ("time,x,y,z\n10:00:00,1,2,3\n\"05:30,5\",1,2,3\n10:00:01,1,2,3\n", 3),
        ])
    func impossible(text: String, line: Int) throws {
        let imported = try Self.samples(text)
        #expect(imported.samples.map(\.offsetNanoseconds) == [0, 1_000_000_000])
        #expect(
            imported.notes.texts == ["left out: 1 row whose time cannot be read (line \(line))"] + Self.remarks(text))
    }

    private static func remarks(_ text: String) -> [String] {
        let lacksZone = text.hasPrefix("date") ? ["times without a zone were taken as UTC"] : []
        let time = text.hasPrefix("t,") ? "the time in s, " : ""
        let lacksUnit = ["taken for granted, as no column says a unit: \(time)accelerometer in m/s²"]
        return lacksUnit + lacksZone
    }

    @Test("that begin with a wrong one lose that one")
    func first() throws {
        let imported = try Self.samples("t,lat,lon\n18,1,0\n1,1,0\n2,1,0\n3,1,0\n")
        #expect(imported.offsets == [0, 1_000_000_000, 2_000_000_000])
        #expect(imported.notes.texts.first == "left out: 1 row not later than the one before (line 2)")
    }

    @Test("whose date, in a column of its own, has an order that only the user knows")
    func ambiguous() throws {
        for time in ["10:00:00", "100000.00"] {
            let text = "date,time,x,y,z\n1/2/2026,\(time),1,2,3\n"
            let error = #expect(throws: FormatError.self) { try Self.samples(text) }
            #expect(error.map { "\($0)".contains("'1/2/2026'") && "\($0)".contains("time=time:dmy") } == true)
            for (order, utc) in [("dmy", 1_769_940_000_000_000), ("mdy", 1_767_348_000_000_000)] as [(String, Int64)] {
                #expect(try Self.samples(text, "time=time:\(order)").utcMicroseconds == utc)
            }
        }
        // The time has a date of its own.
        let own = "time,date,x,y,z\n2026-05-01T10:00:00Z,1/2/2026,1,2,3\n"
        #expect(try Self.samples(own).utcMicroseconds == 1_777_629_600_000_000)
    }

    @Test(
        "whose date has a year of two digits behind or before dashes must be told its order, as 26-05-01 may be 26 May 2001",
        arguments: ["26-05-01", "05-01-26", "12-05-31"])
    func twoDigitYears(date: String) throws {
        for text in ["date,time,x,y,z\n\(date),10:00:00,1,2,3\n", "date,x,y,z\n\(date),1,2,3\n"] {
            let error = #expect(throws: FormatError.self) { try Self.samples(text) }
            #expect(error.map { "\($0)".contains("'\(date)'") && "\($0)".contains(":ymd") } == true, "\(text)")
        }
    }

    @Test(
        "have the order of dates that was stated, or that the numbers show",
        arguments: [
            ("26-05-01", "ymd", 1_777_593_600_000_000), ("26-05-01", "dmy", 990_835_200_000_000),
            ("05-01-26", "mdy", 1_777_593_600_000_000), ("01/05/26", "dmy", 1_777_593_600_000_000),
            ("26/05/01", nil, 990_835_200_000_000), ("26-05-2001", nil, 990_835_200_000_000),
            ("01.05.26", nil, 1_777_593_600_000_000), ("26.05.01", "ymd", 1_777_593_600_000_000),
            ("40-05-01", nil, 2_219_443_200_000_000),
        ] as [(String, String?, Int64)])
    func orders(date: String, order: String?, utc: Int64) throws {
        let names = order.map { "time=time:\($0)" }
        let samples = try Self.samples("date,time,x,y,z\n\(date),00:00:00,1,2,3\n", names)
        #expect(samples.utcMicroseconds == utc)
    }

    @Test(
        "may have any unit and the basic form of dates",
        arguments: [
            ("Time (min)", "0", "1"), ("t [h]", "0", "0.0166666666666667"),
            ("time", "20260501T100000Z", "20260501T100100Z"),
            ("time", "20260501T100000.5+0200", "20260501T100100,5+02"), ("time", "20260501100000", "20260501100100"),
            ("time", "2026-04-30T23:59:00", "2026-04-30 24:00:00"), ("time", "23:59:00", "24:00:00"),
        ])
    func forms(name: String, first: String, second: String) throws {
        let samples = try Self.samples("\(name);x;y;z\n\(first);1;2;3\n\(second);1;2;3\n").samples
        #expect(samples.map(\.offsetNanoseconds) == [0, 60_000_000_000])
        let utc: [String: Int64] = [
            "20260501T100000Z": 1_777_629_600_000_000, "20260501100000": 1_777_629_600_000_000,
            "20260501T100000.5+0200": 1_777_622_400_500_000, "2026-04-30T23:59:00": 1_777_593_540_000_000,
        ]
        #expect(samples.first?.utcMicroseconds == utc[first])
    }

    @Test(
        "that are in no known form are named, with what to do",
        arguments: [
            "2026-W18-5T10:00:00Z", "01-May-2026 10:00:00", "Fri May  1 10:00:00 2026", "2026-05-01 12:00:00 CEST",
            "2026-121T10:00:00Z",
        ])
    func unknown(text: String) {
        let error = #expect(throws: FormatError.self) { try Self.samples("n,time,x,y,z\n0,\(text),1,2,3\n") }
        let words = error.map { "\($0)" } ?? ""
        #expect(
            words.hasPrefix("'\(text)' in column 'time' is not a time that is known") && words.contains("--interval"))
    }

    @Test("are not the dates alone, if a column has the times of day")
    func dateBesideTime() throws {
        let text = "UTC DATE,UTC TIME,x,y,z\n2026/05/01,10:00:00,1,2,3\n2026/05/01,10:00:01,1,2,3\n"
        let imported = try Self.samples(text)
        #expect(imported.offsets == [0, 1_000_000_000] && imported.utcMicroseconds == 1_777_629_600_000_000)
        #expect(try Self.samples("Date,temp_c\n2026-05-01,1\n2026-05-02,2\n").offsets == [0, 86_400_000_000_000])
    }

    @Test("without a unit are in seconds, which is said, unless they count from 1970")
    func seconds() throws {
        let words = "the time in s"
        for (text, isSaid) in [("0", true), ("799322400", true), ("1777629600", false), ("1777629600000", false)] {
            let imported = try Self.samples("time,x,y,z\n\(text),1,2,3\n")
            #expect(imported.notes.texts.joined().contains(words) == isSaid, "\(text)")
        }
        #expect(try !Self.samples("time_ms,x,y,z\n0,1,2,3\n").notes.texts.joined().contains(words))
    }

    @Test("of sensors at different rates are given with the earliest first")
    func rates() throws {
        let imported = try Self.samples("t,ax,ay,az,temp\n0,,,,20\n1,1,2,3,\n2,1,2,3,\n3,1,2,3,21\n")
        #expect(
            imported.samples.map { $0.offsetNanoseconds / 1_000_000_000 } == [0, 1, 2, 3, 3]
                && imported.samples[0].measurement.kind == .temperature && imported.notes.leftOutCount == 0)
        // A sensor that comes later, with an earlier time.
        let late = try Self.samples("t,ax,ay,az,temp\n5,1,2,3,\n6,1,2,3,\n4,,,,20\n7,1,2,3,21\n8,1,2,3,22\n")
        #expect(late.samples.map { $0.offsetNanoseconds / 1_000_000_000 } == [0, 1, 2, 2, 3, 3])
        #expect(late.notes.leftOutCount == 1)
    }
}

@Suite("The sensors of a table") struct TableSensorsTests {
    private static func samples(_ text: String) throws -> Imported {
        try TableImport.samples(Array(text.utf8), naming: nil, intervalNanoseconds: nil)
    }

    @Test("are different ones for each resource and number")
    func resources() throws {
        let head = "resource,t,acc1_x,acc1_y,acc1_z,acc2_x,acc2_y,acc2_z\n"
        let imported = try Self.samples(head + "a,0,1,2,3,4,5,6\nb,0,1,2,3,4,5,6\n")
        #expect(imported.samples.map(\.sensor).sorted() == [0, 1, 2, 3])
    }

    @Test("are a thousand resources at most; rows of others are left out")
    func many() throws {
        let rows = (0...1_000).map { "r\($0),\($0),1,2,3\n" }
        let imported = try Self.samples("resource,t,x,y,z\n" + rows.joined())
        #expect(imported.samples.count == 1_000 && Set(imported.samples.map(\.sensor)).count == 1_000)
        #expect(imported.notes.texts.first == "left out: 1 row of more than 1000 resources (line 1002)")
    }

    @Test("may be in as many columns as a table can have")
    func wide() throws {
        func read(_ names: [String]) throws -> [ImportedSample] {
            let cells = names.indices.map { String($0 % 3) }
            let text = (["t"] + names).joined(separator: ",") + "\n" + (["0"] + cells).joined(separator: ",") + "\n"
            var samples: [ImportedSample] = []
            _ = try TableImport.read(FileContent(Array(text.utf8)), naming: nil, intervalNanoseconds: nil) {
                (sample, _) throws(FormatError) in samples.append(sample)
            }
            return samples
        }
        let samples = try read((1...333).flatMap { number in ["x", "y", "z"].map { "acc\(number)_\($0)" } })
        #expect(samples.map(\.sensor) == Array(0..<333))
        #expect(samples.allSatisfy { $0.measurement == .values(Acceleration(x: 0, y: 1, z: 2)) })
        // Each of a thousand numbers could be that of a sensor of any kind.
        let error = #expect(throws: FormatError.self) { try read((1...999).map { "acc\($0)_x" }) }
        #expect(error?.words.contains("recognised") == true)
    }
}
