internal import Printable

/// A page of a terminal, of cells with a character and a look each: drawn here, shown by `CursesScreen`.
///
/// What does not fit is cut off. Texts may come from strangers: a character that could do anything but appear in its cell is
/// replaced.
struct Canvas: Equatable {
    /// How a cell looks.
    struct Look: Equatable {
        /// By the numbers that terminals have for colours.
        enum Colour: Int16, CaseIterable {
            case usual, red, green, yellow, blue, magenta, cyan
        }

        var colour = Colour.usual
        var isBold = false
        var isFaint = false
        var isReversed = false

        static let plain = Look()
        static let bold = Look(isBold: true)
        static let faint = Look(isFaint: true)
        static let good = Look(colour: .green)
        static let warning = Look(colour: .yellow)
        static let bad = Look(colour: .red, isBold: true)
        static let accent = Look(colour: .cyan)

        var reversed: Look {
            var look = self
            look.isReversed = true
            return look
        }
    }

    /// Room for one character; a wide one takes two cells, the second of which has none.
    struct Cell: Equatable {
        var scalar: Unicode.Scalar? = " "
        var look = Look.plain
    }

    let width: Int
    let height: Int
    private var cells: [Cell]

    init(width: Int, height: Int) {
        (self.width, self.height) = (max(0, width), max(0, height))
        cells = Array(repeating: Cell(), count: self.width * self.height)
    }

    subscript(column: Int, row: Int) -> Cell {
        get { cells[index(column, row)] }
        set { cells[index(column, row)] = newValue }
    }

    private func index(_ column: Int, _ row: Int) -> Int {
        assert(column < width && row < height, "A cell beside the page would be one of another row.")
        return row * width + column
    }

    /// Writes a text, and returns the column behind it; at most `most` cells are written.
    @discardableResult
    mutating func put(_ text: String, _ column: Int, _ row: Int, _ look: Look = .plain, most: Int = .max) -> Int {
        guard (0..<height).contains(row) else { return column }
        var next = column
        let end = min(width, most == .max ? width : column + most)
        for scalar in TerminalText.scalars(text) {
            let isWide = TerminalText.isWide(scalar)
            guard next + (isWide ? 2 : 1) <= end else { break }
            if next >= 0 {
                self[next, row] = Cell(scalar: scalar, look: look)
                if isWide { self[next + 1, row] = Cell(scalar: nil, look: look) }
            }
            next += isWide ? 2 : 1
        }
        return next
    }

    /// Writes a text that ends before a column.
    mutating func put(_ text: String, endingAt column: Int, _ row: Int, _ look: Look = .plain) {
        put(text, max(0, column - TerminalText.width(text)), row, look)
    }

    /// Changes the look of cells of a row.
    mutating func restyle(_ columns: Range<Int>, _ row: Int, _ change: (inout Look) -> Void) {
        guard (0..<height).contains(row) else { return }
        for column in columns.clamped(to: 0..<width) { change(&self[column, row].look) }
    }

    /// The rows as texts without looks and without spaces at their ends.
    var lines: [String] {
        (0..<height).map { row in
            var line = String.UnicodeScalarView()
            for column in 0..<width { if let scalar = self[column, row].scalar { line.append(scalar) } }
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }

    /// The runs of cells of one look of a row: where they begin, and their text.
    func runs(_ row: Int) -> [(column: Int, text: String, look: Look)] {
        var runs: [(column: Int, text: String, look: Look)] = []
        for column in 0..<width {
            let cell = self[column, row]
            guard let scalar = cell.scalar else { continue }
            if let last = runs.indices.last, runs[last].look == cell.look {
                runs[last].text.unicodeScalars.append(scalar)
            } else {
                runs.append((column, String(Character(scalar)), cell.look))
            }
        }
        return runs
    }
}

/// Texts as a terminal shows them.
enum TerminalText {
    /// The characters of a text, one for each cell or, if they are wide, two.
    ///
    /// Of a character with marks, only the first is left: terminals do not agree on the others' widths.
    static func scalars(_ text: String) -> [Unicode.Scalar] {
        text.printable.compactMap { character in
            guard let scalar = character.unicodeScalars.first else { return nil }
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
                .nonspacingMark, .enclosingMark, .spacingMark:
                return "?"
            default: return scalar
            }
        }
    }

    /// The cells that a text takes.
    static func width(_ text: String) -> Int { scalars(text).reduce(0) { $0 + (isWide($1) ? 2 : 1) } }

    /// A text that takes at most so many cells; a `…` stands for the rest.
    static func cut(_ text: String, to width: Int) -> String {
        guard self.width(text) > width else { return text }
        var (cut, left) = (String.UnicodeScalarView(), width - 1)
        for scalar in scalars(text) {
            left -= isWide(scalar) ? 2 : 1
            guard left >= 0 else { break }
            cut.append(scalar)
        }
        return width > 0 ? String(cut) + "…" : ""
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x1100 && wide.contains { $0.contains(scalar.value) }
    }

    /// A text on a terminal that has only ASCII, of as many characters.
    static func ascii(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { ascii($0) }))
    }

    /// What stands for a character on a terminal that has only ASCII.
    static func ascii(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0..<0x80: scalar
        case 0x2581...0x2588: Unicode.Scalar(Array(" .:-=+*#".utf8)[Int(scalar.value - 0x2581)])
        case 0x2800...0x28FF:
            Unicode.Scalar(Array(" ..::**##".utf8)[(scalar.value & 0xFF).nonzeroBitCount])
        default: replacements[scalar] ?? "?"
        }
    }

    private static let replacements: [Unicode.Scalar: Unicode.Scalar] = [
        "°": "'", "µ": "u", "±": "~", "²": "2", "³": "3", "…": "~", "·": ".", "●": "o", "○": ".", "×": "x", "─": "-",
        "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "┼": "+", "▲": "^",
        "▼": "v", "◀": "<", "▶": ">", "↑": "^", "↓": "v", "←": "<", "→": ">", "↗": "/", "↘": "\\", "↙": "/", "↖": "\\",
        "Ω": "O", "Δ": "D",
    ]
}
