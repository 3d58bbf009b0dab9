/// The lines of a file.
///
/// Empty ones are skipped, and a very long one is cut.
struct LineReader {
    private static let longest = 1 << 16

    private let pieces: FileContent.Pieces
    private var bytes: [UInt8] = []
    private var position = 0
    private var line = 1
    private var isWhole = false

    init(_ content: FileContent) throws(FormatError) { pieces = try content.begin() }

    /// The next line and its number; nil at the end.
    mutating func next() throws(FormatError) -> (bytes: ArraySlice<UInt8>, line: Int)? {
        while true {
            if let end = bytes[position...].firstIndex(where: { $0 == 10 || $0 == 13 }) {
                let (found, number) = (bytes[position..<end], line)
                position = end + 1
                if bytes[end] == 10 { line += 1 }
                if !found.isEmpty { return (found, number) }
            } else if isWhole {
                guard position < bytes.count else { return nil }
                defer { position = bytes.count }
                return (bytes[position...], line)
            } else {
                let piece = try pieces()
                isWhole = piece.isEmpty
                bytes = Array(bytes[position...].prefix(Self.longest)) + piece
                position = 0
            }
        }
    }
}
