/// Dots, eight of which make a braille character: two columns and four rows in each cell.
struct DotCanvas {
    /// In dots.
    let width: Int
    let height: Int
    private var cells: [UInt8]
    private var looks: [Canvas.Look]

    /// Dots for so many cells of a terminal.
    init(columns: Int, rows: Int) {
        (width, height) = (max(0, columns) * 2, max(0, rows) * 4)
        cells = Array(repeating: 0, count: max(0, columns) * max(0, rows))
        looks = Array(repeating: .plain, count: cells.count)
    }

    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    /// Sets a dot; the cell takes the look of the last one in it.
    mutating func set(_ x: Int, _ y: Int, _ look: Canvas.Look = .plain) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        let index = y / 4 * (width / 2) + x / 2
        cells[index] |= Self.bits[y % 4][x % 2]
        looks[index] = look
    }

    /// Sets the dots from one to another.
    mutating func line(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int), _ look: Canvas.Look = .plain) {
        let steps = max(abs(to.x - from.x), abs(to.y - from.y))
        guard steps > 0 else { return set(from.x, from.y, look) }
        func part(_ distance: Int, _ step: Int) -> Int {
            (abs(distance) * step * 2 + steps) / (2 * steps) * distance.signum()
        }
        for step in 0...steps {
            set(from.x + part(to.x - from.x, step), from.y + part(to.y - from.y, step), look)
        }
    }

    /// The first row of cells as a text.
    var text: String {
        String(String.UnicodeScalarView(cells.prefix(width / 2).compactMap { Unicode.Scalar(0x2800 + UInt32($0)) }))
    }

    /// Draws the dots on a page; a cell without dots leaves what is there.
    func draw(on canvas: inout Canvas, _ column: Int, _ row: Int) {
        let columns = width / 2
        for (index, dots) in cells.enumerated() where dots != 0 {
            guard let scalar = Unicode.Scalar(0x2800 + UInt32(dots)) else { continue }
            canvas.put(String(Character(scalar)), column + index % columns, row + index / columns, looks[index])
        }
    }
}
