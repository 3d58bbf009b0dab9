internal import Platform

/// A recording by `sensorctl record` or `sensorctl watch --format json`: one JSON object per line.
///
/// docs/recording.md describes the format. The whole recording is kept in memory. Times count from the first event;
/// sessions that were appended to each other are separated by a second. An incomplete last line was left by a killed
/// recorder, and is ignored. A compressed one (zstd) is decompressed piece by piece, by a function of the program, so that one that
/// does without needs no such library, and no further than the limit.
public struct Recording: Sendable {
    /// One track for each resource, in order of first appearance; there is at least one, and none is empty.
    public let tracks: [RecordedTrack]
    /// The time from the first to the last event of all tracks.
    public let lengthNanoseconds: Int64

    /// The largest file that is read.
    public static let maximumBytes = 256 << 20
    /// The longest recording, ten years, so that differences of times fit.
    public static let longestNanoseconds: Int64 = 10 * 366 * 86_400_000_000_000
    /// The most resources that are replayed: as many as a host can have.
    public static let maximumTracks = 512
    /// The pause between the end of a session and the start of the next.
    static let pauseNanoseconds: Int64 = 1_000_000_000
    private static let piece = 1 << 16

    /// Gives the decompressed contents of a file to a function, piece by piece.
    public typealias Decompression =
        (_ bytes: [UInt8], _ take: ([UInt8]) throws(RecordingError) -> Void) throws(RecordingError) -> Void

    /// Reads a file. `open(2)`, `read(2)`
    public init(path: String, decompression: Decompression? = nil) throws(RecordingError) {
        let bytes: [UInt8]?
        do { bytes = try WholeFile.read(path, maximumBytes: Self.maximumBytes) } catch { throw .unreadable("\(error)") }
        guard let bytes else { throw .unreadable("there is no file \(path)") }
        try self.init(parsing: bytes, decompression: decompression)
    }

    /// Parses the contents of a file, of which no more than so many bytes may be there after decompression.
    public init(
        parsing bytes: [UInt8], maximumBytes: Int = Recording.maximumBytes, decompression: Decompression? = nil
    ) throws(RecordingError) {
        var stream = RecordingStream()
        var sorter = TrackSorter()
        func sort(_ body: () throws(RecordedLineError) -> Void) throws(RecordingError) {
            do throws(RecordedLineError) { try body() } catch { throw .line(stream.line, error.words) }
        }
        try Self.pieces(of: bytes, atMost: maximumBytes, decompression) { piece throws(RecordingError) in
            try stream.add(piece)
            while let event = try stream.next() {
                try sort { () throws(RecordedLineError) in try sorter.take(event, stream.resources) }
            }
            // A replay is the whole recording, or none.
            if let invalid = stream.firstInvalid { throw invalid }
        }
        try sort { () throws(RecordedLineError) in try sorter.endSession() }
        self.init(tracks: sorter.tracks)
        guard !tracks.isEmpty else { throw .empty }
    }

    /// The contents piece by piece, decompressed if they are compressed.
    private static func pieces(
        of bytes: [UInt8], atMost most: Int, _ decompression: Decompression?,
        _ take: (ArraySlice<UInt8>) throws(RecordingError) -> Void
    ) throws(RecordingError) {
        guard bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) else {
            for start in stride(from: 0, to: bytes.count, by: piece) {
                try take(bytes[start..<min(bytes.count, start + piece)])
            }
            return
        }
        guard let decompression else { throw .compressed }
        var length = 0
        try decompression(bytes) { piece throws(RecordingError) in
            length += piece.count
            guard length <= most else { throw .tooLong(most) }
            try take(piece[...])
        }
    }

    /// Creates a recording of tracks; those without a sample are omitted.
    init(tracks: [RecordedTrack]) {
        self.tracks = tracks.filter { $0.sampleCount > 0 }
        lengthNanoseconds = self.tracks.compactMap { $0.events.last?.offsetNanoseconds }.max() ?? 0
    }
}

/// Why a recording cannot be replayed.
public enum RecordingError: Error, Equatable, CustomStringConvertible {
    /// The file cannot be read; the system's error.
    case unreadable(String)
    /// A line, counted from 1, is invalid, and why.
    case line(Int, String)
    /// The recording is compressed by zstd, and this program does not decompress.
    case compressed
    /// The recording is longer than this, in bytes, once it is decompressed.
    case tooLong(Int)
    /// The recording has no reading.
    case empty

    /// As it is in a part of the recording before which there are so many lines.
    package func without(lines: Int) -> Self {
        guard case .line(let number, let words) = self else { return self }
        return .line(number - lines, words)
    }

    /// For people.
    public var description: String {
        switch self {
        case .unreadable(let words): "the recording cannot be read: \(words)"
        case .line(let number, let words):
            "line \(number) of the recording: \(words); 'sensorctl record' makes recordings, 'sensorctl import' converts other files"
        case .compressed:
            "the recording is compressed; decompress it first: sensorctl export FILE.ndjson.zst FILE.ndjson"
        case .tooLong(let most):
            "the recording is longer than \(most >> 20) MiB once it is decompressed: record it in several files, with --rotate"
        case .empty:
            "the recording has no readings; 'sensorctl record' makes recordings, 'sensorctl import' converts other files"
        }
    }
}
