/// A file that can be read repeatedly, piece by piece, so that little of it is in memory at a time.
public struct FileContent {
    /// Returns the next piece; an empty piece is the end.
    public typealias Pieces = () throws(FormatError) -> [UInt8]

    /// Starts to read from the beginning.
    package let begin: () throws(FormatError) -> Pieces

    /// Creates a content from a function that starts to read.
    public init(begin: @escaping () throws(FormatError) -> Pieces) { self.begin = begin }

    /// Creates a content from bytes in memory, read in pieces of a size.
    public init(_ bytes: [UInt8], by size: Int = 1 << 16) {
        self.init {
            var position = 0
            return {
                let piece = bytes[position..<min(bytes.count, position + size)]
                position = piece.endIndex
                return Array(piece)
            }
        }
    }
}
