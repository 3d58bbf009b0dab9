import Compression
import Service
import Testing

@testable import Replay
@testable import sensorbrokerd

@Suite("A compressed recording") struct CompressedRecordingTests {
    private let lines = (0..<200).map { number in
        #"{"resource":"light","sequence":\#(number),"timestampNanoseconds":\#(number * 1_000),"values":{"columns":{"value":[1.5]}}}"#
            + "\n"
    }

    private func compressed(_ text: String, _ ending: ZstdCompressor.Ending = .frame) throws -> [UInt8] {
        var compressor = try ZstdCompressor()
        return try compressor.add(Array(text.utf8), ending)
    }

    /// How many samples it has.
    private func count(_ bytes: [UInt8]) throws -> Int {
        try Recording(parsing: bytes, decompression: CompressedRecording.decompress).tracks[0].samples.count
    }

    @Test("is played in one frame or in several, and up to where a killed recorder flushed it")
    func samples() throws {
        #expect(try count(compressed(lines.joined())) == 200)
        #expect(try count(compressed(lines[..<50].joined()) + compressed(lines[50...].joined())) == 200)
        #expect(try count(compressed(lines.joined(), .flush)) == 200)
        var compressor = try ZstdCompressor()
        let flushed = try compressor.add(Array(lines[..<50].joined().utf8), .flush)
        let rest = try compressor.add(Array(lines[50...].joined().utf8), .frame)
        #expect(try count(flushed + rest.prefix(9)) == 50)
    }

    @Test("is refused if it is damaged, or becomes too long")
    func refused() throws {
        let bytes = try compressed(lines.joined())
        for damaged in [bytes.prefix(4) + [UInt8](repeating: 0xFF, count: 40), bytes.prefix(20) + bytes.dropFirst(30)] {
            #expect(throws: RecordingError.self) { try count(Array(damaged)) }
        }
        let bomb = try compressed(String(repeating: "\n", count: 1 << 20))
        #expect(throws: RecordingError.tooLong(1 << 16)) {
            try Recording(parsing: bomb, maximumBytes: 1 << 16, decompression: CompressedRecording.decompress)
        }
    }

    @Test("has as many resources as a host can have")
    func resources() throws {
        let names = ["light", "pressure"].flatMap { kind in
            [kind] + (1..<Limits.resources / 2).map { "\(kind):\($0)" }
        }
        let lines = names.map {
            #"{"resource":"\#($0)","sequence":0,"timestampNanoseconds":1,"values":{"columns":{"value":[1.5]}}}"# + "\n"
        }
        let recording = try Recording(
            parsing: compressed(lines.joined()), decompression: CompressedRecording.decompress)
        #expect(recording.tracks.map { "\($0.name)" } == names && names.count == Limits.resources)
    }
}
