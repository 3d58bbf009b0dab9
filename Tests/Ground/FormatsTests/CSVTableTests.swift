import Readings
import Testing

@testable import Formats

/// Tables whose every value has to be right, as those of a scenario.
@Suite("A table") struct CSVTableTests {
    private static let names: TableImport.Names = ["x": ("gx", "g"), "y": ("gy", nil), "z": ("gz", nil)]

    private static func samples(
        _ text: String, _ names: TableImport.Names = [:], isTimed: Bool = true
    ) throws -> [(offsetNanoseconds: Int64?, values: Values)] {
        try TableImport.values(of: .acceleration, Array(text.utf8), names, isTimed: isTimed)
    }

    @Test("finds its columns by name, and lists the existing names; of two with one name it has the first")
    func columns() throws {
        let table = try CSVTable(FileContent(Array("t,a x,t\n1,2,3\n".utf8)))
        #expect(try table.columns.index(ofColumn: "a x") == 1 && table.columns.index(ofColumn: "t") == 0)
        let error = #expect(throws: FormatError.self) { try table.columns.index(ofColumn: "b") }
        #expect(error?.words.contains("'t', 'a x'") == true)
        #expect(throws: FormatError.self) { try CSVTable(FileContent([])) }
    }

    @Test("of accelerations has them in m/s², with their times from the first")
    func accelerations() throws {
        let table = "time,gy,gx,gz\n100.5,0,1,0\n100.51,0.5,0,-1\n100.53,,,\n100.54,0,0,1\n"
        let samples = try Self.samples(table, Self.names)
        #expect(samples.map(\.offsetNanoseconds) == [0, 10_000_000, 40_000_000])
        #expect(Acceleration(samples[0].values) == Acceleration(x: 9.80665, y: 0, z: 0))
        #expect(try Self.samples(table, Self.names, isTimed: false).map(\.offsetNanoseconds) == [nil, nil, nil])
    }

    @Test("keeps nanoseconds since 1970 to the nanosecond, and reads dates")
    func times() throws {
        var table = "t,x,y,z\n1700000000000000001,0,0,0\n1700000000000000003,0,0,0\n"
        #expect(try Self.samples(table).map(\.offsetNanoseconds) == [0, 2])
        table = "t,x,y,z\n2026-11-21 00:00:00.5,0,0,0\n2026-11-21T01:00:01+01:00,0,0,0\n"
        #expect(try Self.samples(table).map(\.offsetNanoseconds) == [0, 500_000_000])
    }

    @Test(
        "of impossible accelerations is refused with the line",
        arguments: [
            ("1,2,x,0", "not a number"), ("1,1e9,0,0", "unit"), ("1,0,,0", "not all"), ("0,0,0,0", "not later"),
            ("x,0,0,0", "no time"), ("1e300,0,0,0", "no time"), ("9223372036854775807,0,0,0", "no time"),
            ("1,0,0,0,9", "5 cells"),
        ])
    func refusedValues(row: String, words: String) throws {
        let error = #expect(throws: FormatError.self) { try Self.samples("t,x,y,z\n0,0,0,0\n\(row)\n") }
        #expect(error?.line == 3 && error?.words.contains(words) == true, "\(String(describing: error))")
    }
}
