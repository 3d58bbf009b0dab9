internal import Compression

/// The lines of a group as one frame of zstd: a tenth is left.
enum GroupFrame {
    /// More than any group of ours has.
    private static let mostBytes = 64 << 20

    /// Lines as a frame; nil if there is no memory.
    static func compressed(_ lines: [UInt8]) -> [UInt8]? {
        do throws(ZstdError) {
            var compressor = try ZstdCompressor()
            return try compressor.add(lines, .frame)
        } catch { return nil }
    }

    /// The lines of a frame; nil if it is damaged, or too large.
    static func lines(of frame: [UInt8]) -> [UInt8]? {
        do throws(ZstdError) {
            var decompressor = try ZstdDecompressor()
            decompressor.add(frame)
            var lines: [UInt8] = []
            while lines.count <= mostBytes {
                let piece = try decompressor.take()
                if piece.isEmpty { return lines }
                lines += piece
            }
            return nil
        } catch { return nil }
    }
}
