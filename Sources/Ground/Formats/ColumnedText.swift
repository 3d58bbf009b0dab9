/// Text that is made in another order than it has in the file.
///
/// A track in KML has all times, then all positions, then all speeds, but its points come one by one. What is made too early is
/// put into a column until its place comes. A long column is handed over to the caller to be kept, so that little is in memory.
public struct ColumnedText {
    /// What the caller has to do, in order.
    public enum Part: Equatable, Sendable {
        /// These bytes are written to the file.
        case text([UInt8])
        /// These bytes are kept so many times, behind what was kept of the column before.
        case aside([UInt8], column: Int, times: Int)
        /// What was kept of a column is written to the file.
        case column(Int)
        /// What was kept of a column is forgotten.
        case forgotten(Int)
    }

    private struct Column {
        var bytes: [UInt8] = []
        /// Whether the caller has kept some of it.
        var isKept = false
    }

    /// More in columns is handed over.
    private let mostHeld: Int
    private var parts: [Part] = []
    private var text: [UInt8] = []
    private var columns: [Column] = []

    /// Creates an empty text.
    init(mostHeld: Int) { self.mostHeld = mostHeld }

    /// Adds text that has its place.
    mutating func write(_ more: String) { text += more.utf8 }

    /// Adds text, some times, to a column.
    mutating func put(_ more: String, times: Int = 1, in column: Int) {
        assert(column >= 0 && times > 0)
        while columns.count <= column { columns.append(Column()) }
        if more.utf8.count * times > mostHeld {
            handOver(column)
            columns[column].isKept = true
            parts.append(.aside(Array(more.utf8), column: column, times: times))
        } else {
            for _ in 0..<times { columns[column].bytes += more.utf8 }
        }
    }

    /// The place of a column is here; it is empty after that.
    mutating func writeColumn(_ column: Int) {
        guard column < columns.count else { return }
        if columns[column].isKept {
            parts += [.text(text), .column(column)]
            text = []
        }
        text += columns[column].bytes
        columns[column] = Column()
    }

    /// A column has no place.
    mutating func forget(_ column: Int) {
        guard column < columns.count else { return }
        if columns[column].isKept { parts.append(.forgotten(column)) }
        columns[column] = Column()
    }

    /// What the caller has to do with what was added since the last time.
    mutating func take() -> [Part] {
        if columns.reduce(0, { $0 + $1.bytes.count }) > mostHeld {
            for column in columns.indices { handOver(column) }
        }
        defer { (parts, text) = ([], []) }
        return text.isEmpty ? parts : parts + [.text(text)]
    }

    private mutating func handOver(_ column: Int) {
        guard !columns[column].bytes.isEmpty else { return }
        parts.append(.aside(columns[column].bytes, column: column, times: 1))
        columns[column] = Column(isKept: true)
    }
}

/// A column with a value for each point of a piece; what is unknown is filled up later, and a column that has no value is not there.
struct FilledColumn {
    private let column: Int
    private let unknown: String
    private let separator: String
    private var count = 0

    init(_ column: Int, unknown: String, separator: String) {
        (self.column, self.unknown, self.separator) = (column, unknown, separator)
    }

    var isEmpty: Bool { count == 0 }

    /// Adds the value of a point, counted from 0 in its piece.
    mutating func put(_ value: String, of point: Int, _ text: inout ColumnedText) {
        assert(point >= count, "A point has one value.")
        fill(upTo: point, &text)
        text.put(count == 0 ? value : separator + value, in: column)
        count += 1
    }

    /// Writes the values of so many points; the column is empty after that.
    mutating func write(_ points: Int, _ text: inout ColumnedText) {
        assert(points >= count, "A column has no more values than its piece has points.")
        fill(upTo: points, &text)
        text.writeColumn(column)
        count = 0
    }

    private mutating func fill(upTo point: Int, _ text: inout ColumnedText) {
        guard count < point else { return }
        if count == 0 {
            text.put(unknown, in: column)
            count = 1
        }
        if count < point { text.put(separator + unknown, times: point - count, in: column) }
        count = point
    }
}
