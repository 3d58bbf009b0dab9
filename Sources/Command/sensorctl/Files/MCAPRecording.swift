internal import Compression
internal import Formats
internal import Platform

extension ROSRecording {
    /// Begins a file of this program; its chunks are compressed, which every reader of MCAP undoes by itself.
    static var compressed: ROSRecording {
        ROSRecording(
            program: "sensorctl \(Version.text)",
            compression: (
                "zstd",
                { chunk in
                    guard var compressor = try? ZstdCompressor() else { return nil }
                    return try? compressor.add(chunk, .frame)
                }
            ))
    }
}
