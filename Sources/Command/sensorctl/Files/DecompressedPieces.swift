internal import Compression
internal import Formats

/// A file in pieces, decompressed if it is compressed; little of it is in memory at a time.
final class DecompressedPieces {
    private let compressed: FileContent.Pieces
    private var decompressor: ZstdDecompressor
    private var hasEnded = false

    /// Pieces of a compressed file.
    init(_ compressed: @escaping FileContent.Pieces) throws(FormatError) {
        self.compressed = compressed
        do throws(ZstdError) { decompressor = try ZstdDecompressor() } catch { throw FormatError("\(error)") }
    }

    /// The next piece; an empty one is the end.
    func next() throws(FormatError) -> [UInt8] {
        while !hasEnded {
            do throws(ZstdError) {
                let piece = try decompressor.take()
                if !piece.isEmpty { return piece }
            } catch { throw FormatError("\(error)") }
            let more = try compressed()
            hasEnded = more.isEmpty
            if !hasEnded { decompressor.add(more) }
        }
        return []
    }
}
