/// A file of comma-separated values with a header: cells by the names of their columns.
public struct CSVTable {
    /// The names in the header, as they stand.
    public let columns: [String]
    private var reader: CSVReader

    /// Begins to read a file; a name that stands twice in the header is an error.
    public init(_ content: FileContent) throws(FormatError) {
        reader = try CSVReader(content)
        guard let header = try reader.next() else { throw FormatError("there is no header in it") }
        columns = header.cells
        for (index, name) in columns.enumerated() where columns[..<index].contains(name) && !name.isEmpty {
            throw FormatError(line: header.line, "two columns are named '\(name.excerpt)'")
        }
    }

    /// The next row; nil behind the last one.
    ///
    /// A short row lacks its last cells; one with more cells than the header has is an
    /// error of its line.
    public mutating func next() throws(FormatError) -> CSVReader.Row? {
        guard let row = try reader.next() else { return nil }
        guard row.cells.count <= columns.count else {
            throw FormatError(line: row.line, "\(row.cells.count) cells, but the header has \(columns.count) columns")
        }
        return row
    }

    /// The place of a column; the error names those that there are.
    public func index(of name: String) throws(FormatError) -> Int {
        guard let index = columns.firstIndex(of: name) else {
            let known = columns.prefix(20).map { "'\($0.excerpt)'" }.joined(separator: ", ")
            throw FormatError("there is no column '\(name.excerpt)'; there are \(known)")
        }
        return index
    }

    /// The number in a cell; nil where it is empty, missing, or says that it is not known.
    public func number(_ row: CSVReader.Row, _ column: Int) throws(FormatError) -> Double? {
        guard column < row.cells.count, !row.cells[column].isEmpty else { return nil }
        guard let value = DecimalNumber.value(row.cells[column]) else {
            if DecimalNumber.isUnknown(row.cells[column]) { return nil }
            throw FormatError(
                line: row.line, "'\(row.cells[column].excerpt)' in column '\(columns[column].excerpt)' is no number")
        }
        return value
    }
}
