/// A file of comma-separated values with a header: cells by the names of their columns.
public struct CSVTable {
    /// The names in the header, as they stand.
    public let columns: [String]
    /// The rows below it; a short row lacks its last cells.
    public let rows: [CSVReader.Row]

    /// Reads a file; a row with more cells than the header has is an error of its line, and so is a name that stands twice.
    public init(parsing bytes: [UInt8]) throws(FormatError) {
        var reader = CSVReader(bytes)
        guard let header = try reader.next() else { throw FormatError("there is no header in it") }
        columns = header.cells
        for (index, name) in columns.enumerated() where columns[..<index].contains(name) && !name.isEmpty {
            throw FormatError(line: header.line, "two columns are named '\(name.excerpt)'")
        }
        var rows: [CSVReader.Row] = []
        while let row = try reader.next() {
            guard row.cells.count <= columns.count else {
                throw FormatError(
                    line: row.line, "\(row.cells.count) cells, but the header has \(columns.count) columns")
            }
            rows.append(row)
        }
        self.rows = rows
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
