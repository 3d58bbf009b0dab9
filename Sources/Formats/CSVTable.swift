/// A file of comma-separated values with a header, so that cells can be found by the names of their columns.
public struct CSVTable {
    /// The names in the header, unchanged.
    public let columns: [String]
    private var reader: CSVReader

    /// Begins to read a file.
    ///
    /// A name that occurs twice in the header is an error.
    public init(_ content: FileContent) throws(FormatError) {
        reader = try CSVReader(content)
        guard let header = try reader.next() else { throw FormatError("it has no header") }
        columns = header.cells
        for (index, name) in columns.enumerated() where columns[..<index].contains(name) && !name.isEmpty {
            throw FormatError(line: header.line, "two columns are named '\(name.excerpt)'")
        }
    }

    /// The next row; nil at the end.
    ///
    /// A short row lacks its last cells; a row with more cells than the header is an error.
    public mutating func next() throws(FormatError) -> CSVReader.Row? {
        guard let row = try reader.next() else { return nil }
        guard row.cells.count <= columns.count else {
            throw FormatError(line: row.line, "\(row.cells.count) cells, but the header has \(columns.count) columns")
        }
        return row
    }

    /// The index of a column; the error lists the existing ones.
    public func index(of name: String) throws(FormatError) -> Int {
        guard let index = columns.firstIndex(of: name) else {
            let known = columns.prefix(20).map { "'\($0.excerpt)'" }.joined(separator: ", ")
            throw FormatError("there is no column '\(name.excerpt)'; there are \(known)")
        }
        return index
    }

    /// The number in a cell; nil if the cell is empty, missing or says unknown.
    public func number(_ row: CSVReader.Row, _ column: Int) throws(FormatError) -> Double? {
        guard column < row.cells.count, !row.cells[column].isEmpty else { return nil }
        guard let value = DecimalNumber.value(row.cells[column]) else {
            if DecimalNumber.isUnknown(row.cells[column]) { return nil }
            throw FormatError(
                line: row.line, "'\(row.cells[column].excerpt)' in column '\(columns[column].excerpt)' is not a number")
        }
        return value
    }
}
