/// The rows of a table in the order of time.
///
/// Databases and web pages write their newest row first. Such a table is held, with so many cells at most, and given from its end.
struct TableRows {
    private static let mostHeld = 4_000_000
    /// Rows that show the order.
    private static let mostRows = 1_000

    /// Whether the table begins with its newest row.
    let isNewestFirst: Bool
    /// How many lines are above the header.
    var linesAbove: Int { table.linesAbove }

    private var table: CSVTable
    private var held: [CSVReader.Row]?
    /// The error that ended the table.
    private var failure: FormatError?

    init(_ content: FileContent, _ clock: TableClock?) throws(FormatError) {
        table = try CSVTable(content)
        isNewestFirst = try clock.map { clock throws(FormatError) in try Self.isNewestFirst(content, clock) } ?? false
    }

    /// The next row; nil at the end.
    mutating func next() throws(FormatError) -> CSVReader.Row? {
        guard isNewestFirst else { return try table.next() }
        if held == nil { held = try all() }
        if let row = held?.popLast() { return row }
        if let failure { throw failure }
        return nil
    }

    private mutating func all() throws(FormatError) -> [CSVReader.Row] {
        var rows: [CSVReader.Row] = []
        var cells = 0
        while true {
            do throws(FormatError) {
                guard let row = try table.next() else { return rows }
                rows.append(row)
                cells += row.cells.count
            } catch {
                failure = error
                return rows
            }
            guard cells <= Self.mostHeld else {
                throw FormatError(
                    "its newest row comes first, and it is too long to be read from its end: "
                        + "(head -n 1 FILE; tail -n +2 FILE | tac) | sensorctl import - RECORDING")
            }
        }
    }

    /// Whether the first rows go back in time, but for a few.
    private static func isNewestFirst(_ content: FileContent, _ clock: TableClock) throws(FormatError) -> Bool {
        var (table, clock) = (try CSVTable(content), clock)
        var (later, earlier) = (0, 0)
        var last: Int64?
        for _ in 0..<mostRows {
            guard let row = try? table.next() else { break }
            guard let offset = clock.instant(row, separator: table.separator)?.offsetNanoseconds else { continue }
            if let last, offset != last { if offset > last { later += 1 } else { earlier += 1 } }
            last = offset
        }
        return earlier > 3 * later
    }
}
