/// How the rows of a table are sorted, and which of them is selected.
struct TopRows<Row: Identifiable & Sendable> where Row.ID: Sendable {
    let columns: [TopColumn<Row>]
    /// The column by which they are sorted.
    private(set) var column = 0
    private(set) var isReversed = false
    /// What is selected: rows move, so it is not an index.
    private var selected: Row.ID?

    init(_ columns: [TopColumn<Row>]) { self.columns = columns }

    /// The rows in their order.
    func sorted(_ rows: [Row]) -> [Row] {
        guard let isBefore = columns[column].isBefore else { return rows }
        // Stable: equal rows must not change their places from one picture to the next.
        return rows.enumerated().sorted { first, second in
            let (one, other) = isReversed ? (second, first) : (first, second)
            if isBefore(one.element, other.element) { return true }
            if isBefore(other.element, one.element) { return false }
            return first.offset < second.offset
        }.map(\.element)
    }

    /// The index of the selected row; that of the first one if it is gone.
    func index(in rows: [Row]) -> Int { selected.flatMap { id in rows.firstIndex { $0.id == id } } ?? 0 }

    /// The selected row; nil if there is none at all.
    func selected(of rows: [Row]) -> Row? { rows.isEmpty ? nil : rows[index(in: rows)] }

    /// Selects a row so many further down.
    mutating func move(by step: Int, in rows: [Row]) {
        guard !rows.isEmpty else { return }
        selected = rows[min(rows.count - 1, max(0, index(in: rows) + step))].id
    }

    /// Sorts by another of the columns that they can be sorted by.
    mutating func moveSorting(by step: Int) {
        let sortable = columns.indices.filter { columns[$0].isBefore != nil }
        let index = sortable.firstIndex(of: column) ?? 0
        (column, isReversed) = (sortable[(index + step + sortable.count) % sortable.count], false)
    }

    /// Sorts the other way round.
    mutating func turnSorting() { isReversed.toggle() }
}
