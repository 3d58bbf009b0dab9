/// Draws rows of a table into a page: as many columns as fit, and as many rows as there is room for.
struct TopTable<Row: Identifiable & Sendable> where Row.ID: Sendable {
    let order: TopRows<Row>
    let rows: [Row]
    /// Whether the keys are for this table, so that a row of it is selected.
    let hasKeys: Bool
    /// Whether a row is of less interest.
    var isFaint: (Row) -> Bool = { _ in false }

    private var columns: [TopColumn<Row>] { order.columns }

    /// The widths of the columns that fit; 0 for one that does not.
    func widths(_ width: Int) -> [Int] {
        var widths = columns.map(\.width)
        let gap = Self.gap(width)
        func total() -> Int { widths.reduce(0) { $0 + ($1 > 0 ? $1 + gap : 0) } - gap }
        while total() > width,
            let index = columns.indices.filter({ widths[$0] > 0 && columns[$0].rank > 0 }).max(by: {
                columns[$0].rank < columns[$1].rank
            })
        {
            widths[index] = 0
        }
        let growths = columns.indices.map { widths[$0] > 0 ? columns[$0].growth : 0 }
        let (sum, left) = (growths.reduce(0, +), max(0, width - total()))
        guard sum > 0 else { return widths }
        for index in columns.indices { widths[index] += left * growths[index] / sum }
        return widths
    }

    static func gap(_ width: Int) -> Int { width < 100 ? 1 : 2 }

    /// Draws the heading and rows into so many lines from a line on.
    func draw(on canvas: inout Canvas, _ top: Int, height: Int, _ now: Int64) {
        guard height > 0 else { return }
        let widths = widths(canvas.width)
        drawHeading(on: &canvas, top, widths)
        let room = height - 1
        guard room > 0, !rows.isEmpty else { return }
        let selected = hasKeys ? order.index(in: rows) : 0
        let first = max(0, min(selected - room / 2, rows.count - room))
        for line in 0..<min(room, rows.count - first) {
            draw(rows[first + line], on: &canvas, top + 1 + line, widths, now)
            if hasKeys, first + line == selected { mark(on: &canvas, top + 1 + line) }
        }
        // What is above and below.
        if first > 0 { canvas.put("▲", canvas.width - 1, top + 1, .bold) }
        if first + room < rows.count { canvas.put("▼", canvas.width - 1, top + room, .bold) }
    }

    private func drawHeading(on canvas: inout Canvas, _ row: Int, _ widths: [Int]) {
        let look = Canvas.Look(colour: .cyan, isBold: hasKeys)
        var column = 0
        for (index, width) in widths.enumerated() where width > 0 {
            let isSorted = index == order.column && columns[index].isBefore != nil
            let title = columns[index].title + (isSorted ? (order.isReversed ? "▲" : "▼") : "")
            let shown = columns[index].isNumber ? title.rightAligned(to: width) : title
            canvas.put(shown, column, row, isSorted ? Canvas.Look(colour: .cyan, isBold: true) : look, most: width)
            column += width + Self.gap(canvas.width)
        }
        canvas.restyle(0..<canvas.width, row) { look in
            if hasKeys { look.isReversed = true }
        }
    }

    private func draw(
        _ row: Row, on canvas: inout Canvas, _ line: Int, _ widths: [Int], _ now: Int64
    ) {
        var column = 0
        for (index, width) in widths.enumerated() where width > 0 {
            let pieces = columns[index].pieces(row, now, width)
            if columns[index].isNumber, let piece = pieces.first {
                canvas.put(piece.text, endingAt: column + width, line, piece.look)
            } else {
                draw(pieces, on: &canvas, column, line, width)
            }
            column += width + Self.gap(canvas.width)
        }
        if isFaint(row) { canvas.restyle(0..<canvas.width, line) { $0 = .faint } }
    }

    private func draw(_ pieces: [Gauges.Piece], on canvas: inout Canvas, _ column: Int, _ line: Int, _ width: Int) {
        var index = column
        for piece in pieces {
            let left = column + width - index
            index = canvas.put(TerminalText.cut(piece.text, to: left), index, line, piece.look, most: max(0, left))
        }
    }

    private func mark(on canvas: inout Canvas, _ line: Int) {
        canvas.restyle(0..<canvas.width, line) { look in
            look.isReversed = true
            look.isFaint = false
        }
    }
}
