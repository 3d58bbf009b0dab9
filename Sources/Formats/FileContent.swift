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

/// Detects the format of a file.
extension FileContent {
    /// The formats of other programs that can be read.
    public enum Kind: String, CaseIterable, Sendable {
        case nmea
        case gpx
        case csv
    }

    /// XML begins with `<` in any encoding, and a receiver's log has sentences with `$`; anything else may be a table.
    public func kind() throws(FormatError) -> Kind {
        let pieces = try begin()
        var head: [UInt8] = []
        while head.count < 4_096 {
            let piece = try pieces()
            if piece.isEmpty { break }
            head += piece.prefix(4_096)
        }
        if head.first(where: { ![0xEF, 0xBB, 0xBF, 0xFE, 0xFF].contains($0) && $0 > 32 }) == UInt8(ascii: "<") {
            return .gpx
        }
        let marks = ["$GP", "$GN", "$GL", "$GA", "$GB", "$BD"].map { Array($0.utf8) }
        let isLog = head.indices.contains { index in marks.contains { head[index...].starts(with: $0) } }
        return isLog ? .nmea : .csv
    }
}
