/// A file of comma-separated values with a header, so that cells can be found by the names of their columns.
///
/// Of two columns with one name the first one has it. Lines of text above the header, such as the name of a logger, are passed over.
public struct CSVTable {
    /// The names in the header, unchanged.
    public private(set) var columns: [String]
    /// How many lines are above the header.
    private(set) var linesAbove = 0
    private var reader: CSVReader

    /// A header that comes later is none.
    private static let mostLinesAbove = 50

    /// Begins to read a file.
    public init(_ content: FileContent) throws(FormatError) {
        reader = try CSVReader(content)
        guard let first = try reader.next() else { throw FormatError("it has no header") }
        columns = first.cells
        guard first.cells.count == 1 else { return }
        // A table has more than one column, unless all of it has only one.
        var later = reader
        for count in 1...Self.mostLinesAbove {
            guard let row = try? later.next() else { return }
            guard row.cells.count > 1 else { continue }
            (columns, linesAbove, reader) = (row.cells, count, later)
            return
        }
    }

    /// The separator of its cells.
    var separator: UInt8 { reader.separator ?? UInt8(ascii: ",") }

    /// The next row; nil at the end.
    ///
    /// A short row lacks its last cells.
    public mutating func next() throws(FormatError) -> CSVReader.Row? { try reader.next() }
}

/// The names of a table's columns.
extension [String] {
    /// The index of a column; the error lists the existing ones.
    func index(ofColumn name: String) throws(FormatError) -> Int {
        guard let index = firstIndex(of: name) else {
            throw FormatError("there is no column '\(name.excerpt)'; there are \(columnWords)")
        }
        return index
    }

    /// The names, for a message.
    var columnWords: String { prefix(20).map { "'\($0.excerpt)'" }.joined(separator: ", ") }
}
