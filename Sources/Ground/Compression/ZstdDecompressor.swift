internal import CZstd

/// Decompresses frames of Zstandard (RFC 8878) piece by piece, in bounded memory, whoever wrote them.
///
/// A short file may become a very long one; the caller decides how much of it to take. A file that ends within a frame, as
/// that of a killed program does, yields everything up to its last whole block. One that is filled up with zeros from there,
/// as after a power failure, yields these zeros behind it, as a plain file does.
@safe public struct ZstdDecompressor: ~Copyable {
    /// How far a frame may refer back: 8 MiB, as far as all levels of `zstd` do that need no option to decompress them.
    private static let windowLogarithm: Int32 = 23
    private static let piece = 1 << 17
    /// How much libzstd needs to begin a frame.
    private static let beginning = 5

    private let context: OpaquePointer
    private var input: [UInt8] = []
    private var read = 0
    /// How much there is up to the end of a block: with more, those before a damaged one would be lost.
    private var wanted = beginning
    private var mayHoldMore = false
    /// What is wrong with the bytes so far, of which the last ones are zeros.
    private var damage: ZstdError?

    /// Creates a decompressor; throws if there is no memory. `ZSTD_createDCtx`
    public init() throws(ZstdError) {
        guard let context = unsafe ZSTD_createDCtx() else { throw ZstdError("out of memory") }
        unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLogarithm)
        unsafe self.init(context)
    }

    private init(_ context: OpaquePointer) { unsafe self.context = unsafe context }

    deinit { unsafe ZSTD_freeDCtx(context) }

    /// Whether a file that begins with these bytes is compressed; four are enough.
    public static func isCompressed(_ head: some Collection<UInt8>) -> Bool {
        head.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    }

    /// Adds compressed bytes; `take` must have returned everything from those before.
    public mutating func add(_ bytes: [UInt8]) {
        assert(read == input.count, "bytes are added before those before were taken")
        (input, read) = (bytes, 0)
    }

    /// The next decompressed bytes; empty if more compressed ones are needed. `ZSTD_decompressStream`
    public mutating func take() throws(ZstdError) -> [UInt8] {
        while read < input.count || mayHoldMore {
            if let damage { return try zeros(orElse: damage) }
            var (written, result, position) = (0, 0, read)
            let end = min(input.count, read + wanted)
            let part = unsafe [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, count in
                result = unsafe input.withUnsafeBytes { input in
                    unsafe czstd_decompress(
                        context, buffer.baseAddress, buffer.count, &written, input.baseAddress, end, &position)
                }
                count = written
            }
            guard ZSTD_isError(result) == 0 else {
                try note(ZstdError(code: result), in: read..<end)
                continue
            }
            read = position
            wanted = result == 0 ? Self.beginning : result
            // A full buffer may mean that there is more without further input.
            mayHoldMore = written == Self.piece && result != 0
            if !part.isEmpty { return part }
        }
        return []
    }

    /// Bytes make no sense; throws unless they end in zeros, which begin what is left to take.
    private mutating func note(_ error: ZstdError, in bytes: Range<Int>) throws(ZstdError) {
        let zeros = input[bytes].reversed().prefix { $0 == 0 }.count
        guard zeros > 0, !error.isWindowTooLarge else { throw error }
        (read, damage, mayHoldMore) = (bytes.upperBound - zeros, error, false)
    }

    /// What is left if these are zeros; a power failure leaves no other bytes behind them.
    private mutating func zeros(orElse damage: ZstdError) throws(ZstdError) -> [UInt8] {
        let rest = input[read...]
        guard rest.allSatisfy({ $0 == 0 }) else { throw damage }
        read = input.count
        return Array(rest)
    }
}
