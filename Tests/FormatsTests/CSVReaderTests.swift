import Testing

@testable import Formats

@Suite("Comma-separated values") struct CSVReaderTests {
    private static func rows(_ text: String) throws -> [CSVReader.Row] {
        let whole = try rows(text, by: 1 << 16)
        // The rows are the same, whatever the pieces in which the file comes.
        for size in 1...7 { #expect(try rows(text, by: size) == whole) }
        return whole
    }

    private static func rows(_ text: String, by size: Int) throws -> [CSVReader.Row] {
        var reader = try CSVReader(FileContent(Array(text.utf8), by: size))
        var rows: [CSVReader.Row] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    @Test("are cells in rows, whatever the line ends, with or without the last")
    func plain() throws {
        for end in ["\n", "\r\n", "\r"] {
            let rows = try Self.rows("a, b ,c\(end)1,,3\(end)\(end)#note\(end)4,5,6")
            #expect(rows.map(\.cells) == [["a", "b", "c"], ["1", "", "3"], ["4", "5", "6"]])
            #expect(rows.map(\.line) == [1, 2, 5])
        }
        #expect(try Self.rows("").isEmpty && Self.rows("\u{FEFF}\n # x\n").map(\.cells) == [["# x"]])
        #expect(try Self.rows("\u{FEFF}a\n1,\n").map(\.cells) == [["a"], ["1", ""]])
    }

    @Test("may be quoted, with separators, line ends and quotes inside")
    func quoted() throws {
        let rows = try Self.rows("\"a,\"\"b\"\"\nc\" ,d\n\"\",e\n")
        #expect(rows.map(\.cells) == [["a,\"b\"\nc", "d"], ["", "e"]])
        #expect(rows.map(\.line) == [1, 3])
    }

    @Test("use the most frequent separator of the first row", arguments: [",", ";", "\t"])
    func separators(separator: String) throws {
        let text = ["#a,b;c", "t x", "1.5"].joined(separator: "\n").replacing(" ", with: separator)
        #expect(try Self.rows(text)[0].cells == ["t", "x"])
    }

    @Test("with a misplaced quote are refused with the line", arguments: [("a\n\"b", 2), ("a\n\n\"b\"c\n", 3)])
    func refused(text: String, line: Int) {
        let error = #expect(throws: FormatError.self) { try Self.rows(text) }
        #expect(error?.line == line)
    }

    @Test("without an end are refused before they fill the memory")
    func endless() throws {
        var pieces = 0
        let content = FileContent {
            {
                pieces += 1
                return pieces == 1 ? Array("a,b\n".utf8) : [UInt8](repeating: 0, count: 1 << 16)
            }
        }
        var reader = try CSVReader(content)
        #expect(try reader.next()?.cells == ["a", "b"])
        #expect(throws: FormatError.self) { try reader.next() }
        #expect(pieces < 40)
    }

    @Test("of any bytes are rows or an error")
    func broken() throws {
        var state: UInt64 = 7
        let alphabet = Array(",;\t\"\n\r# a1\u{0}".utf8) + [0xFF, 0xEF, 0xBB, 0xBF]
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<30 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(alphabet[Int(state >> 33) % alphabet.count])
            }
            var reader = try CSVReader(FileContent(bytes, by: Int(state >> 33) % 9 + 1))
            var lines: [Int] = []
            while let row = try? reader.next() { lines.append(row.line) }
            #expect(lines == lines.sorted() && lines.count <= 31)
        }
    }
}
