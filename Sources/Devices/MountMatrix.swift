/// How a chip is mounted in its device: the matrix that turns the chip's axes into the device's.
public struct MountMatrix: Equatable, Sendable, CustomStringConvertible {
    /// Why a text is no mount matrix, in words.
    public struct Refusal: Error, Equatable {
        /// What is wrong with it.
        public let words: String
    }

    /// Row by row.
    let rows: [SIMD3<Double>]

    /// The chip's axes are the device's.
    public static let identity = MountMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [SIMD3<Double>]) { self.rows = rows }

    /// Reads `a, b, c; d, e, f; g, h, i`, whatever the locale.
    ///
    /// An empty text is the identity. A row of zeros or a value that is not finite is refused: guessing the axes would
    /// hand out wrong readings.
    public init(text: String) throws(Refusal) {
        let lines = text.split(separator: ";", omittingEmptySubsequences: false)
        guard text.contains(where: { !$0.isWhitespace }) else {
            self = .identity
            return
        }
        guard lines.count == 3 else { throw Refusal(words: "\(lines.count) rows instead of 3 in \"\(text)\"") }
        var rows: [SIMD3<Double>] = []
        for line in lines { rows.append(try Self.row(line)) }
        self.rows = rows
    }

    /// The matrix as it is written.
    public var description: String {
        rows.map { row in [row.x, row.y, row.z].map(Self.text).joined(separator: ", ") }.joined(separator: "; ")
    }

    private static func text(_ value: Double) -> String {
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func row(_ line: Substring) throws(Refusal) -> SIMD3<Double> {
        let words = line.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count == 3 else { throw Refusal(words: "\(words.count) values instead of 3 in row \"\(line)\"") }
        var row = SIMD3<Double>.zero
        for (column, word) in words.enumerated() {
            guard let value = Double(word.filter { !$0.isWhitespace }), value.magnitude <= 1000 else {
                throw Refusal(words: "\"\(word)\" is not a usable number in row \"\(line)\"")
            }
            row[column] = value
        }
        guard row != .zero else { throw Refusal(words: "row \"\(line)\" is all zero") }
        return row
    }

    /// A vector along the chip's axes, along the device's.
    public func applied(to vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((rows[0] * vector).sum(), (rows[1] * vector).sum(), (rows[2] * vector).sum())
    }
}
