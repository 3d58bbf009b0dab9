import BrokerClient
import Programs
import Readings
import Testing
import Varlink

@testable import sensorctl

@Suite struct CSVFormatTests {
    private func begun(_ index: Int) throws -> (format: CSVFormat, header: [String]) {
        var format = CSVFormat(clock: Examples.clock)
        let header = try format.begin([try Examples.resource(index)])
        return (format, header)
    }

    @Test("a location has a column for each field, empty if it is unknown")
    func location() throws {
        let (format, header) = try begun(0)
        let rows = try format.rows(of: Examples.reading(Examples.location))
        #expect(
            rows == [
                "location,7,4512345678,2026-11-21T12:00:04.512345Z,3d,1795262584000000,48.1173,-11.5167,545.4,,4.1,,1.2,84.4,,9,12,,,,,,,,,,,,,,,"
                    + ",,,,,,,,,,,"
            ])
        #expect(header.count == 1)
        #expect(header[0].hasPrefix("resource,sequence,timestampNanoseconds,time,fix,utcMicroseconds,latitudeDegrees,"))
        #expect(
            header[0].split(separator: ",").count
                == rows[0].split(separator: ",", omittingEmptySubsequences: false).count)
    }

    @Test("an acceleration has a row per sample, and the first has the number")
    func acceleration() throws {
        let (format, header) = try begun(1)
        #expect(header == ["resource,sequence,timestampNanoseconds,time,x,y,z"])
        #expect(
            try format.rows(of: Examples.reading(Examples.acceleration)) == [
                "accelerometer,40,1000000000,2026-11-21T12:00:01.000000Z,0.012,-0.034,9.807",
                "accelerometer,,1020000000,2026-11-21T12:00:01.020000Z,0.5,-1.0,-10.25",
            ])
    }

    @Test("what is aligned has columns behind those of the reading, empty if it is unknown")
    func aligned() throws {
        var format = CSVFormat(clock: Examples.clock, aligned: ["location", "pressure"])
        let header = try format.begin([Examples.resource(1), Examples.resource(0)])[0].split(separator: ",")
        let rows = try format.rows(of: Examples.reading(Examples.aligned)).map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(
            header[..<8] == [
                "resource", "sequence", "timestampNanoseconds", "time", "x", "y", "z", "location.latitudeDegrees",
            ])
        #expect(header.last == "pressure.value" && rows.map(\.count) == [header.count, header.count])
        #expect(rows[0][4..<9] == ["0.012", "-0.034", "9.807", "48.25", "-11.5"])
        #expect(rows[1][4..<9] == ["0.5", "-1.0", "-10.25", "", ""])
    }

    @Test("an orientation has a column of its own")
    func orientation() throws {
        var format = CSVFormat(clock: Examples.clock)
        var resource = try Examples.resource(1).object
        resource = JSONObject(resource.members.map { ($0.key, $0.key == "kind" ? "orientation" : $0.value) })
        #expect(
            try format.begin([Resource(Parameters(resource))]) == [
                "resource,sequence,timestampNanoseconds,time,orientation"
            ])
        #expect(
            try format.rows(of: Examples.reading(Examples.orientation)) == [
                "orientation,3,2000000000,2026-11-21T12:00:02.000000Z,left-up"
            ])
    }

    @Test("samples that are not evenly spaced have their own times")
    func unevenTimes() throws {
        let reading = try Examples.reading([
            "resource": "accelerometer", "sequence": 1, "timestampNanoseconds": 5,
            "values": [
                "columns": ["x": [1, 2.5], "y": [0.0, 0.0], "z": [0.0, 0.0]], "timestampsNanoseconds": [5, 99],
            ],
        ])
        let rows = try begun(1).format.rows(of: reading)
        #expect(rows.map { $0.split(separator: ",")[1] } == ["1", "99"])
    }

    @Test("columns of unequal length are refused")
    func unequalColumns() {
        #expect(throws: VarlinkError.invalidParameter("columns")) {
            try Examples.reading([
                "resource": "a", "sequence": 1, "timestampNanoseconds": 5,
                "values": ["columns": ["x": [1.0, 2.0], "y": [1.0], "z": [1.0, 2.0]]],
            ])
        }
    }

    @Test("times that do not match the samples are refused")
    func unequalTimes() {
        for times: JSONValue in [[5], [5, 6, 7], [5, 6.5], [5, "6"]] {
            #expect(throws: VarlinkError.invalidParameter("timestampsNanoseconds")) {
                try Examples.reading([
                    "resource": "a", "sequence": 1, "timestampNanoseconds": 5,
                    "values": ["columns": ["x": [1.0, 2.0]], "timestampsNanoseconds": times],
                ])
            }
        }
    }

    @Test("a complete location fills each column with the field in its heading")
    func wholeLocation() throws {
        var location = Location(fix: .threeDimensional)
        location.utcMicroseconds = 1
        for (index, field) in LocationField.all.enumerated() {
            field.put(field.words.isEmpty ? Double(index + 2) : 3, into: &location)
        }
        var expected = ["fix": "3d", "utcMicroseconds": "1"]
        for field in LocationField.all { expected[field.name] = field.text(of: location) }
        let (format, header) = try begun(0)
        let names = header[0].split(separator: ",").dropFirst(4).map(String.init)
        let reading = try Examples.reading([
            "resource": "location", "sequence": 1, "timestampNanoseconds": 5, "location": .object(location.object),
        ])
        for cells in [
            CSVFormat.cells(.location(location)),
            format.rows(of: reading)[0].split(separator: ",").dropFirst(4).map(String.init),
        ] {
            #expect(cells.count == names.count)
            #expect(Dictionary(uniqueKeysWithValues: zip(names, cells)) == expected)
        }
    }

    @Test("two kinds in one table are refused with a remedy")
    func mixedKinds() throws {
        var format = CSVFormat(clock: Examples.clock)
        let both = [try Examples.resource(0), try Examples.resource(1)]
        let failure = #expect(throws: Failure.self) { try format.begin(both) }
        #expect(failure?.status == .usage)
        #expect(failure?.message?.contains("acceleration and location") == true)
    }

    @Test("cells are quoted if necessary")
    func quoting() {
        #expect(CSVFormat.row(["a", "b,c", "d\"e", "f\ng", ""]) == "a,\"b,c\",\"d\"\"e\",\"f\ng\",")
    }

    @Test("text of a broker cannot control a terminal, in cells or in errors")
    func controlCharacters() throws {
        #expect(
            CSVFormat.row(["\u{1B}]0;x\u{7}", "a\u{9B}1m\r\nb", "\u{202E}c"]) == #"\u001b]0;x\u0007,"a\u009b1m\u000d"#
                + "\n" + #"b",\u202ec"#)
        var format = CSVFormat(clock: Examples.clock)
        let odd = try (0...1).map { index in
            JSONObject(
                try Examples.resource(index).object.members.map { member in
                    (member.key, member.key == "kind" ? .string("\u{1B}[3\(index)m") : member.value)
                })
        }
        let failure = #expect(throws: Failure.self) { try format.begin(odd.map { try Resource(Parameters($0)) }) }
        #expect(failure?.message?.contains(#"\u001b[30m and \u001b[31m"#) == true)
    }

    @Test("events are notes, so that the output is readings only")
    func events() {
        #expect(!CSVFormat(clock: Examples.clock).showsEvents)
    }
}
