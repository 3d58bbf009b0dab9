internal import Compression
internal import Replay

/// A recording compressed by zstd, as `sensorctl record` can write it.
///
/// Here, and not in Replay, since the Swift library's simulation replays recordings too, and its users would need libzstd.
enum CompressedRecording {
    /// Decompresses a file piece by piece; one that was cut off yields what was complete.
    static func decompress(
        _ bytes: [UInt8], _ take: ([UInt8]) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        var pieces = try Pieces(bytes)
        while let piece = try pieces.next() { try take(piece) }
    }

    private struct Pieces: ~Copyable {
        private var decompressor: ZstdDecompressor

        init(_ bytes: [UInt8]) throws(RecordingError) {
            do throws(ZstdError) { decompressor = try ZstdDecompressor() } catch { throw .unreadable("\(error)") }
            decompressor.add(bytes)
        }

        mutating func next() throws(RecordingError) -> [UInt8]? {
            do throws(ZstdError) {
                let piece = try decompressor.take()
                return piece.isEmpty ? nil : piece
            } catch { throw .unreadable("\(error)") }
        }
    }
}
