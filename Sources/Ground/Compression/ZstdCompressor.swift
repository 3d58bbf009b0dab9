internal import CZstd

/// Compresses bytes to frames of Zstandard (RFC 8878).
@safe public struct ZstdCompressor: ~Copyable {
    /// What follows the bytes that were added.
    public enum Ending: Sendable {
        /// More bytes; what has been added may be held back.
        case more
        /// Everything that was added can be decompressed from what has been returned, even if nothing follows.
        case flush
        /// The frame is complete.
        case frame
    }

    private let context: OpaquePointer
    private static let piece = 1 << 17

    /// Creates a compressor with the usual level, which is fast; throws if there is no memory. `ZSTD_createCCtx`
    public init(level: Int32 = 3) throws(ZstdError) {
        guard let context = unsafe ZSTD_createCCtx() else { throw ZstdError("out of memory") }
        unsafe self.context = unsafe context
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    }

    deinit { unsafe ZSTD_freeCCtx(context) }

    /// Adds bytes, and returns the compressed ones that are ready. `ZSTD_compressStream2`
    public mutating func add(_ bytes: [UInt8], _ ending: Ending) throws(ZstdError) -> [UInt8] {
        let directive =
            [Ending.more: ZSTD_e_continue, .flush: ZSTD_e_flush, .frame: ZSTD_e_end][ending] ?? ZSTD_e_flush
        var output: [UInt8] = []
        var read = 0
        while true {
            var written = 0
            var result = 0
            let part = unsafe [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, count in
                result = unsafe bytes.withUnsafeBytes { input in
                    unsafe czstd_compress(
                        context, buffer.baseAddress, buffer.count, &written, input.baseAddress, input.count, &read,
                        directive)
                }
                count = written
            }
            guard ZSTD_isError(result) == 0 else { throw ZstdError(code: result) }
            output += part
            guard read < bytes.count || ending != .more && result > 0 else { return output }
        }
    }
}

/// Why bytes cannot be compressed or decompressed, in words.
public struct ZstdError: Error, Equatable, CustomStringConvertible {
    /// What is wrong.
    public let description: String
    /// Whether nothing is damaged, but more memory would be needed than there may be.
    let isWindowTooLarge: Bool

    init(_ words: String) { (description, isWindowTooLarge) = (words, false) }

    init(code: Int) {
        isWindowTooLarge = ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge
        description =
            isWindowTooLarge
            ? "it was compressed with --long or --ultra, which needs too much memory: decompress it with zstd -d --long=31"
            : unsafe ZSTD_getErrorName(code).map { unsafe "it is damaged: \(String(cString: $0))" } ?? "it is damaged"
    }
}
