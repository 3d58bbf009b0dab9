/// Reads comma-separated values (RFC 4180) row by row; quoted cells may contain separators, line ends and doubled
/// quotes.
///
/// Semicolons and tabs are separators as well: the most frequent of the three in the first row, outside of quotes, is used, or what a first
/// line such as `sep=;` names. A byte order mark, empty lines and lines that begin with `#` are skipped; cells that are not UTF-8 are in the
/// code page of Windows. Zeros, which stand where a file was not written before the power failed, damage their row.
public struct CSVReader {
    /// The cells of a row, trimmed, and the line where it begins.
    public struct Row: Equatable, Sendable {
        /// Counted from 1.
        public let line: Int
        /// The text of the cells, without quotes.
        public let cells: [String]
        /// Whether there are zeros in it.
        let isDamaged: Bool
        /// Whether the file ends before the end of its line.
        let isUnterminated: Bool

        /// The text of a cell; empty if the row is too short.
        func text(_ column: Int) -> String { column < cells.count ? cells[column] : "" }
    }

    /// A row with more cells is an error.
    static let mostCells = 1_000

    /// A row with more bytes is an error.
    static let longestRow = 1 << 20

    private let pieces: FileContent.Pieces
    /// The bytes read so far, and the position in them.
    private var bytes: [UInt8] = []
    private var position = 0
    private var isWhole = false
    /// The separator, once a row was read.
    private(set) var separator: UInt8?
    private var line = 1

    /// Creates a reader of a file.
    public init(_ content: FileContent) throws(FormatError) { pieces = try content.begin() }

    /// The next row; nil at the end.
    public mutating func next() throws(FormatError) -> Row? {
        try findSeparator()
        while true {
            let before = (position, line)
            let result: Result<Row?, FormatError>
            do throws(FormatError) { result = .success(try row()) } catch { result = .failure(error) }
            // If the bytes end here, later ones may belong to the row, so it is parsed again with more.
            guard position >= bytes.count, !isWhole else { return try result.get() }
            (position, line) = before
            try refill()
        }
    }

    /// Determines the separator from the first row.
    private mutating func findSeparator() throws(FormatError) {
        while separator == nil {
            // A mark of the byte order, and a line that names the separator.
            guard bytes.count - position >= 10 || isWhole else {
                try refill()
                continue
            }
            if position == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
            if let named = Self.namedSeparator(bytes[position...]) {
                separator = named
                position = lineEnd
                takeLineEnd()
                return
            }
            separator = Self.separator(of: bytes[position...], isWhole: isWhole)
            if separator == nil { try refill() }
        }
    }

    private mutating func refill() throws(FormatError) {
        guard bytes.count - position <= Self.longestRow else {
            throw FormatError(line: line, "a row that is longer than \(Self.longestRow >> 20) MiB")
        }
        let piece = try pieces()
        isWhole = piece.isEmpty
        bytes = Array(bytes[position...])
        // One zero stands for a row of them, which may be as long as the file.
        for byte in piece where byte != 0 || bytes.last != 0 { bytes.append(byte) }
        position = 0
    }

    private mutating func row() throws(FormatError) -> Row? {
        skipEmptyLines()
        guard position < bytes.count else { return nil }
        let (start, begin) = (line, position)
        var cells: [String] = []
        repeat {
            guard cells.count < Self.mostCells else {
                throw FormatError(line: start, "more than \(Self.mostCells) cells")
            }
            cells.append(try cell())
        } while takeSeparator()
        let isDamaged = bytes[begin..<position].contains(0)
        let isUnterminated = position >= bytes.count
        takeLineEnd()
        return Row(line: start, cells: cells, isDamaged: isDamaged, isUnterminated: isUnterminated)
    }

    private mutating func skipEmptyLines() {
        while position < bytes.count {
            let end = lineEnd
            let isComment = bytes[position] == UInt8(ascii: "#")
            guard isComment || bytes[position..<end].allSatisfy({ $0 == 32 || $0 == 9 || $0 == 0 }) else { return }
            position = end
            takeLineEnd()
        }
    }

    private var lineEnd: Int { bytes[position...].firstIndex { Self.isEnd($0) } ?? bytes.count }

    private mutating func cell() throws(FormatError) -> String {
        var start = position
        while start < bytes.count, bytes[start] == 32 { start += 1 }
        if start < bytes.count, bytes[start] == UInt8(ascii: "\"") {
            position = start + 1
            return try quotedCell()
        }
        let end = bytes[position...].firstIndex { $0 == separator || Self.isEnd($0) } ?? bytes.count
        defer { position = end }
        return Self.text(bytes[position..<end])
    }

    private mutating func quotedCell() throws(FormatError) -> String {
        let start = line
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                    // What follows a closing quote belongs to the cell.
                    let end = bytes[position...].firstIndex { $0 == separator || Self.isEnd($0) } ?? bytes.count
                    defer { position = end }
                    return Self.text((content + bytes[position..<end])[...])
                }
                position += 1
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            content.append(byte)
        }
        throw FormatError(line: start, "a quote that is never closed")
    }

    private mutating func takeSeparator() -> Bool {
        guard position < bytes.count, bytes[position] == separator else { return false }
        position += 1
        return true
    }

    private mutating func takeLineEnd() {
        guard position < bytes.count else { return }
        let isPair = bytes[position] == 13 && position + 1 < bytes.count && bytes[position + 1] == 10
        position += isPair ? 2 : 1
        line += 1
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        let front = bytes.drop { $0 == 32 || $0 == 9 }
        let back = front.lastIndex { $0 != 32 && $0 != 9 } ?? front.startIndex - 1
        return WindowsText.string(front[front.startIndex..<(back + 1)])
    }

    private static func isEnd(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

    /// `;` of a first line `sep=;`, which Excel writes and reads.
    private static func namedSeparator(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        let line = bytes.prefix(8).prefix { !isEnd($0) }
        guard line.count == 5, line.starts(with: "sep=".utf8) else { return nil }
        return line.last
    }

    /// Whether a line without a separator is followed by others.
    private static func isPlain(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let end = bytes.firstIndex(where: { isEnd($0) }), bytes[end...].contains(where: { !isEnd($0) }) else {
            return false
        }
        return !bytes[..<end].contains { [9, UInt8(ascii: ","), UInt8(ascii: ";")].contains($0) }
    }

    /// Nil if more bytes are needed to decide.
    private static func separator(of bytes: ArraySlice<UInt8>, isWhole: Bool) -> UInt8? {
        var rest = bytes
        var plainLines = 0
        while let first = rest.first,
            isEnd(first) || first == UInt8(ascii: "#") || (plainLines < 50 && isPlain(rest))
        {
            plainLines += 1
            let end = rest.firstIndex { isEnd($0) } ?? rest.endIndex
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        var isQuoted = false
        let row = rest.prefix { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return isQuoted || !isEnd(byte)
        }
        guard isWhole || row.endIndex < rest.endIndex else { return nil }
        let isBare = !row.contains { $0 == 9 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
        // Lines of text may stand above the header.
        guard isWhole || !isBare || plainLines >= 50 else { return nil }
        let plain = row.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 0 }.map(\.element)
        // The comma comes first: it wins a tie.
        return [UInt8(ascii: ","), UInt8(ascii: ";"), 9].reduce((byte: UInt8(ascii: ","), count: 0)) { best, byte in
            let count = plain.reduce(0) { $0 + $1.count { $0 == byte } }
            return count > best.count ? (byte, count) : best
        }.byte
    }
}
