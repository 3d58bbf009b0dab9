internal import Programs

/// Rows of cells in aligned columns under a heading.
struct TextTable {
    let heading: [String]
    let rows: [[String]]
    /// Columns of numbers, which are aligned on the right.
    var numbers: Set<Int> = []

    /// The lines, beginning with the heading, without trailing spaces.
    ///
    /// Where they are wider than the terminal, the last column is below each row, in lines of its own.
    func lines(_ style: Style, width: Int? = nil) -> [String] {
        let all = [heading] + rows
        let widths = heading.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        if let width, heading.count > 2, widths.reduce(2 * (widths.count - 1), +) > width {
            let lines = TextTable(heading: heading.dropLast(), rows: rows.map { $0.dropLast() }, numbers: numbers)
                .lines(style)
            let details = [""] + rows.map { $0.last ?? "" }
            return zip(lines, details).flatMap { line, detail in
                [line] + (detail.isEmpty ? [] : HelpLayout.wrapped(detail, indent: 2, columns: width))
            }
        }
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

/// Colours of a terminal.
struct Style {
    /// Whether anything is coloured.
    let isOn: Bool

    /// Details.
    func faint(_ text: String) -> String { wrapped(text, "2") }

    /// A heading or a name.
    func strong(_ text: String) -> String { wrapped(text, "1") }

    /// Something that needs attention.
    func warning(_ text: String) -> String { wrapped(text, "33") }

    private func wrapped(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

extension String {
    /// The text padded with spaces on the right.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The text padded with spaces on the left.
    func rightAligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
