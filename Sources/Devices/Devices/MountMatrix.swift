/// How a chip is mounted in its device, as udev, drivers and administrators write it; `MountedAxes` is what follows
/// from it.
///
/// It is a rotation or a reflection: its rows have the length 1 and are at right angles. Any other matrix scales
/// readings or drops an axis, which nobody could see in the readings, so it is refused whatever its source. The
/// determinant may be -1: three of four matrices in udev's hardware database are reflections.
public struct MountMatrix: Equatable, Sendable, CustomStringConvertible {
    /// Why a text is no mount matrix, in words.
    public struct Refusal: Error, Equatable {
        /// What is wrong with it.
        public let words: String
    }

    /// Row by row.
    let rows: [SIMD3<Double>]

    /// The chip's axes are those of the device.
    public static let identity = MountMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    /// How far the product of two rows may be from 1 or 0.
    ///
    /// This admits 0.7 for the sine of 45°, whose error in length is 1 %.
    static let tolerance = 0.05

    private init(rows: [SIMD3<Double>]) { self.rows = rows }

    /// Reads `a, b, c; d, e, f; g, h, i`, whatever the locale.
    ///
    /// An empty text is the identity. Any other text that is not a rotation or reflection is refused: with guessed axes,
    /// readings would be wrong.
    public init(text: String) throws(Refusal) {
        let lines = text.split(separator: ";", omittingEmptySubsequences: false)
        guard text.contains(where: { !$0.isWhitespace }) else {
            self = .identity
            return
        }
        guard lines.count == 3 else { throw Refusal(words: "\(lines.count) rows instead of 3 in \"\(text)\"") }
        var rows: [SIMD3<Double>] = []
        for line in lines { rows.append(try Self.row(line)) }
        try Self.checkRigid(rows)
        self.rows = rows
    }

    private static func checkRigid(_ rows: [SIMD3<Double>]) throws(Refusal) {
        for (first, row) in rows.enumerated() {
            let square = (row * row).sum()
            guard (square - 1).magnitude <= tolerance else {
                let length = (square.squareRoot() * 1_000).rounded() / 1_000
                throw Refusal(words: "row \(first + 1) has the length \(text(length)) instead of 1")
            }
            for second in 0..<first where (row * rows[second]).sum().magnitude > tolerance {
                throw Refusal(words: "rows \(second + 1) and \(first + 1) are not at right angles")
            }
        }
    }

    /// The matrix as text, in the form that `init(text:)` reads.
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
        return row
    }

    /// Whether the matrix mirrors: its determinant is -1.
    var isReflection: Bool {
        let (first, second) = (rows[0], rows[1])
        let third = SIMD3(
            first.y * second.z - first.z * second.y, first.z * second.x - first.x * second.z,
            first.x * second.y - first.y * second.x)
        return (third * rows[2]).sum() < 0
    }

    /// The matrix with each row multiplied by a factor of its own.
    func scaled(rows factors: SIMD3<Double>) -> MountMatrix {
        MountMatrix(rows: rows.indices.map { rows[$0] * factors[$0] })
    }

    func applied(to vector: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((rows[0] * vector).sum(), (rows[1] * vector).sum(), (rows[2] * vector).sum())
    }
}
