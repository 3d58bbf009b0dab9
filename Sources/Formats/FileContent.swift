/// A file that is read from its beginning as often as wanted, piece by piece, so that however long it is, little of it is in
/// memory.
public struct FileContent {
    /// Gives the next piece; an empty one is the end.
    public typealias Pieces = () throws(FormatError) -> [UInt8]

    /// Begins to read.
    let begin: () throws(FormatError) -> Pieces

    /// Something that can be read from its beginning.
    public init(begin: @escaping () throws(FormatError) -> Pieces) { self.begin = begin }

    /// Bytes that are in memory, in pieces of a size.
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
