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

    @Test("do not count separators in quotes, and use the one that a first line names")
    func hiddenSeparators() throws {
        #expect(try Self.rows("\"lat\",\"a; b; c\"\n1,2\n").map(\.cells) == [["lat", "a; b; c"], ["1", "2"]])
        #expect(try Self.rows("sep=;\r\na,b;c\r\n").map(\.cells) == [["a,b", "c"]])
        #expect(try Self.rows("sep=,\na;b;c,d\n").map(\.cells) == [["a;b;c", "d"]])
    }

    @Test("keep what follows a closing quote, and are refused with the line if there is none")
    func misplacedQuotes() throws {
        #expect(try Self.rows("a\n\"b\"c\n").map(\.cells) == [["a"], ["bc"]])
        let error = #expect(throws: FormatError.self) { try Self.rows("a\n\"b") }
        #expect(error?.line == 2)
    }

    @Test("with zeros in them are damaged, and one that has no end is known")
    func damaged() throws {
        let rows = try Self.rows("a,b\n1,2\n3,\0\0\0\n4,5\n6,7" + String(repeating: "\0", count: 3_000))
        #expect(rows.map(\.isDamaged) == [false, false, true, false, true])
        #expect(rows.map(\.line) == [1, 2, 3, 4, 5])
        let padded = "a,b\n6,7" + String(repeating: "\0", count: CSVReader.longestRow + 70_000)
        #expect(try Self.rows(padded, by: 1 << 16).map(\.isDamaged) == [false, true], "zeros are no row, however many")
        #expect(try Self.rows("a,b\n1").map(\.isUnterminated) == [false, true])
        #expect(try Self.rows("a,b\n1,2\n\0\0\0").count == 2)
    }

    @Test("without an end are refused before they fill the memory")
    func endless() throws {
        var pieces = 0
        let content = FileContent {
            {
                pieces += 1
                return pieces == 1 ? Array("a,b\n".utf8) : [UInt8](repeating: 65, count: 1 << 16)
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
        for _ in 0..<500 {
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
