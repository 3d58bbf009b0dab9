/// Rows of cells in aligned columns under a heading.
struct TextTable {
    let heading: [String]
    let rows: [[String]]
    /// Columns of numbers, which are aligned on the right.
    var numbers: Set<Int> = []

    /// The lines, the heading first, without spaces at their ends.
    func lines(_ style: Style) -> [String] {
        let all = [heading] + rows
        let widths = heading.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let lines = all.map { cells in
            var line = heading.indices.map { column in
                let (cell, width) = (cells[column], widths[column])
                return numbers.contains(column) ? cell.rightAligned(to: width) : cell.padded(to: width)
            }.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
        return lines.prefix(1).map { style.strong($0) } + lines.dropFirst()
    }
}
