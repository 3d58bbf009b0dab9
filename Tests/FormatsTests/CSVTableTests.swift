import Readings
import Testing

@testable import Formats

@Suite("A table") struct CSVTableTests {
    private static func table(_ text: String) throws -> CSVTable { try CSVTable(FileContent(Array(text.utf8))) }

    private static func samples(_ columns: ValueColumns, _ text: String) throws -> [ValueColumns.Sample] {
        var table = try table(text)
        var samples: [ValueColumns.Sample] = []
        try columns.read(&table) { (sample, _) throws(FormatError) in samples.append(sample) }
        return samples
    }

    @Test("finds its columns by name, and lists the existing names")
    func columns() throws {
        let table = try Self.table("t,a x\n1,2\n")
        #expect(try table.index(of: "a x") == 1)
        let error = #expect(throws: FormatError.self) { try table.index(of: "b") }
        #expect(error?.words.contains("'t', 'a x'") == true)
    }

    @Test("with a name twice, or more cells than columns, is refused", arguments: ["a,a\n", "a,b\n1,2,3\n", ""])
    func refused(text: String) {
        #expect(throws: FormatError.self) {
            var table = try Self.table(text)
            while try table.next() != nil {}
        }
    }

    @Test("of accelerations has them in m/s², with their times from the first")
    func accelerations() throws {
        let table = "stamp,gy,gx,gz\n100.5,0,1,0\n100.51,0.5,0,-1\n100.53,,,\n100.54,0,0,1\n"
        let columns = ValueColumns(.acceleration, ["gx", "gy", "gz"], time: "stamp", factor: 9.80665)
        let samples = try Self.samples(columns, table)
        #expect(samples.map(\.offsetNanoseconds) == [0, 10_000_000, 40_000_000])
        #expect(Acceleration(samples[0].values) == Acceleration(x: 9.80665, y: 0, z: 0))
        let timeless = try Self.samples(ValueColumns(.acceleration, ["gx", "gy", "gz"]), table)
        #expect(timeless.map(\.offsetNanoseconds) == [nil, nil, nil])
    }

    @Test("keeps nanoseconds since 1970 to the nanosecond, and reads dates")
    func times() throws {
        var columns = ValueColumns(.acceleration, ["x", "y", "z"], time: "t", timeUnitNanoseconds: 1)
        var table = "t,x,y,z\n1700000000000000001,0,0,0\n1700000000000000003,0,0,0\n"
        #expect(try Self.samples(columns, table).map(\.offsetNanoseconds) == [0, 2])
        columns.timeUnitNanoseconds = nil
        table = "t,x,y,z\n2026-11-21 00:00:00.5,0,0,0\n2026-11-21T01:00:01+01:00,0,0,0\n"
        #expect(try Self.samples(columns, table).map(\.offsetNanoseconds) == [0, 500_000_000])
    }

    @Test(
        "of impossible accelerations is refused with the line",
        arguments: [
            ("1,2,x,0", "not a number"), ("1,1e9,0,0", "unit"), ("1,0,,0", "not all"), ("0,0,0,0", "not later"),
            ("x,0,0,0", "'x'"), ("1e300,0,0,0", "too far"), ("9223372036854775807,0,0,0", "too far"),
        ])
    func refusedValues(row: String, words: String) throws {
        let table = "t,x,y,z\n0,0,0,0\n\(row)\n"
        let error = #expect(throws: FormatError.self) {
            try Self.samples(ValueColumns(.acceleration, ["x", "y", "z"], time: "t"), table)
        }
        #expect(error?.line == 3 && error?.words.contains(words) == true, "\(String(describing: error))")
    }
}
