import Testing

@testable import Compression

@Suite("Zstandard") struct ZstdTests {
    private static func compressed(_ pieces: [[UInt8]], _ ending: ZstdCompressor.Ending) throws -> [UInt8] {
        var compressor = try ZstdCompressor()
        var bytes: [UInt8] = []
        for piece in pieces { bytes += try compressor.add(piece, .more) }
        return try bytes + compressor.add([], ending)
    }

    /// Decompresses bytes that come in pieces of a size, as far as they go.
    private static func text(_ bytes: [UInt8], by size: Int = 1 << 16, atMost most: Int = .max) throws -> [UInt8] {
        var decompressor = try ZstdDecompressor()
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            decompressor.add(Array(bytes[start..<min(bytes.count, start + size)]))
            while text.count < most {
                let piece = try decompressor.take()
                if piece.isEmpty { break }
                text += piece
            }
            if text.count >= most { break }
        }
        return text
    }

    private static func lines(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { Array("{\"sequence\":\($0),\"x\":\(Double($0 * 7919 % 1000) / 100)}\n".utf8) }
    }

    @Test("returns what was compressed, however the bytes are split", arguments: [1, 7, 4_096, 1 << 20])
    func roundTrip(size: Int) throws {
        let text = Self.lines(40_000)
        let pieces = stride(from: 0, to: text.count, by: 9_973).map { Array(text[$0..<min(text.count, $0 + 9_973)]) }
        let bytes = try Self.compressed(pieces, .frame)
        #expect(bytes.count < text.count / 3)
        #expect(ZstdDecompressor.isCompressed(bytes) && !ZstdDecompressor.isCompressed(text))
        #expect(try Self.text(bytes, by: size) == text)
        // Frames follow each other, as in files that were appended.
        #expect(try Self.text(bytes + bytes, by: size) == text + text)
    }

    @Test("what was flushed is there, although the end is missing")
    func unfinished() throws {
        var compressor = try ZstdCompressor()
        let (first, second) = (Self.lines(1_000), Self.lines(2_000))
        let flushed = try compressor.add(first, .flush)
        let rest = try compressor.add(second, .frame)
        #expect(try Self.text(flushed) == first)
        // Cut anywhere behind it, all of the first part is there, and a beginning of the second.
        for length in stride(from: 0, to: rest.count, by: max(1, rest.count / 50)) {
            let text = try Self.text(flushed + rest[..<length])
            #expect(text.starts(with: first) && (first + second).starts(with: text))
        }
    }

    @Test(
        "zeros in the place of an end come behind all that was flushed before; anything else there is damage",
        arguments: [1, 100, 1 << 20])
    func powerFailure(size: Int) throws {
        var compressor = try ZstdCompressor()
        let text = (0..<8).map { Self.lines(40 * ($0 + 1)) }
        var (bytes, parts) = ([UInt8](), [(end: Int, length: Int)]())
        for (index, part) in text.enumerated() {
            bytes += try compressor.add(part, .flush)
            parts.append((bytes.count, text[...index].reduce(0) { $0 + $1.count }))
        }
        let whole = Array(text.joined())
        bytes += try compressor.add([], .frame)
        for cut in stride(from: 4, through: bytes.count, by: 7) {
            let found = try Self.text(bytes[..<cut] + [UInt8](repeating: 0, count: 500), by: size)
            let flushed = parts.last { $0.end <= cut }?.length ?? 0
            #expect(found.starts(with: whole[..<flushed]))
            // A plain file would have half a line and zeros there.
            #expect(whole.starts(with: found[...(found.lastIndex(of: 10) ?? -1)]))
        }
        let blocks = parts.dropLast().map { bytes[..<($0.end + 20)] }
        for block in blocks {
            #expect(throws: ZstdError.self) { try Self.text(block + [UInt8](repeating: 1, count: 9_000), by: size) }
            #expect(throws: ZstdError.self) {
                try Self.text(block + [UInt8](repeating: 0, count: 9_000) + [1], by: size)
            }
        }
    }

    @Test("a bomb yields no more than is taken")
    func bomb() throws {
        let bytes = try Self.compressed(Array(repeating: [UInt8](repeating: 0, count: 1 << 20), count: 64), .frame)
        #expect(bytes.count < 16_384)
        #expect(try Self.text(bytes, atMost: 1 << 20).count < 2 << 20)
    }

    @Test("a frame that would need much memory is refused, with the remedy")
    func window() throws {
        // Magic, a descriptor without content size or dictionary, and a window of 2²⁷ bytes.
        let bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, (27 - 10) << 3, 0x01, 0x00, 0x00]
        #expect { try Self.text(bytes) } throws: { "\($0)".contains("zstd -d --long=31") }
    }

    @Test("bytes of strangers end in text or in an error")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        let good = try Self.compressed([Self.lines(500)], .frame)
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            let text = try? Self.text(bytes, by: 100, atMost: 1 << 20)
            #expect(text?.count ?? 0 <= 2 << 20)
        }
    }
}
