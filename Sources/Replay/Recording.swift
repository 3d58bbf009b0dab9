internal import Platform
internal import Varlink

/// A recording by `sensorctl record` or `sensorctl watch --format json`: one JSON object per line.
///
/// docs/recording.md describes the format. The whole recording is kept in memory. Times count from the first event;
/// sessions that were appended to each other are separated by a second. An incomplete last line was left by a killed
/// recorder, and is ignored.
public struct Recording: Sendable {
    /// One track for each resource, in order of first appearance; there is at least one, and none is empty.
    public let tracks: [RecordedTrack]
    /// The time from the first to the last event of all tracks.
    public let lengthNanoseconds: Int64
    /// The sessions.
    public let sessions: [RecordedSession]

    /// The largest file that is read.
    public static let maximumBytes = 256 << 20
    /// The longest recording, ten years, so that differences of times fit.
    public static let longestNanoseconds: Int64 = 10 * 366 * 86_400_000_000_000
    /// The most resources that are replayed.
    static let maximumTracks = 32
    /// The pause between the end of a session and the start of the next.
    static let pauseNanoseconds: Int64 = 1_000_000_000

    /// Reads a file. `open(2)`, `read(2)`
    public init(path: String) throws(RecordingError) {
        let bytes: [UInt8]?
        do { bytes = try WholeFile.read(path, maximumBytes: Self.maximumBytes) } catch { throw .unreadable("\(error)") }
        guard let bytes else { throw .unreadable("there is no file \(path)") }
        try self.init(parsing: bytes)
    }

    /// Parses the contents of a file.
    public init(parsing bytes: [UInt8]) throws(RecordingError) {
        var reader = RecordingReader()
        var (start, number) = (0, 0)
        // After the last line end there is nothing, or an incomplete line.
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            number += 1
            if end > start {
                do throws(RecordedLineError) { try reader.take(Array(bytes[start..<end])) } catch {
                    throw .line(number, error.words)
                }
            }
            start = end + 1
        }
        reader.endSession()
        if let fault = reader.fault { throw .line(number, fault) }
        self.init(tracks: reader.tracks, sessions: reader.sessions)
        guard !tracks.isEmpty else { throw .empty }
    }

    /// UTC of an event in microseconds since 1970, if its session has the clocks.
    public func utcMicroseconds(of event: RecordedEvent) -> Int64? {
        session(of: event)?.utcMicroseconds(atOffset: event.stampNanoseconds)
    }

    /// CLOCK_BOOTTIME of an event at the time of the recording, as in the file.
    public func bootNanoseconds(of event: RecordedEvent) -> Int64 {
        session(of: event)?.bootNanoseconds(atOffset: event.stampNanoseconds) ?? event.stampNanoseconds
    }

    private func session(of event: RecordedEvent) -> RecordedSession? {
        sessions.last { $0.offsetNanoseconds <= event.offsetNanoseconds }
    }

    /// Creates a recording of tracks; those without a sample are omitted.
    init(tracks: [RecordedTrack], sessions: [RecordedSession] = []) {
        self.tracks = tracks.filter { $0.sampleCount > 0 }
        self.sessions = sessions
        lengthNanoseconds = self.tracks.compactMap { $0.events.last?.offsetNanoseconds }.max() ?? 0
    }
}

/// Why a recording cannot be replayed.
public enum RecordingError: Error, Equatable, CustomStringConvertible {
    /// The file cannot be read; the system's error.
    case unreadable(String)
    /// A line, counted from 1, is invalid, and why.
    case line(Int, String)
    /// The recording has no reading.
    case empty

    /// For people.
    public var description: String {
        switch self {
        case .unreadable(let words): "the recording cannot be read: \(words)"
        case .line(let number, let words):
            "line \(number) of the recording: \(words); 'sensorctl record' makes recordings, 'sensorctl import' converts other files"
        case .empty:
            "the recording has no readings; 'sensorctl record' makes recordings, 'sensorctl import' converts other files"
        }
    }
}

/// How this program's recordings identify themselves.
public enum RecordingFormat {
    /// The name of the format, in the first line.
    public static let name = "io.sensorbroker.recording"
    /// The version that is written; later ones are not read.
    public static let version: Int64 = 1

    /// Whether a file that begins with this line is a recording; an incomplete line only counts if it is the recorder's
    /// header.
    public static func isFirstLine(_ line: some Sequence<UInt8>, isWhole: Bool) -> Bool {
        let bytes = Array(line)
        let header = Array("{\"recording\":{\"format\":\"\(name)\"".utf8)
        guard isWhole else { return bytes.starts(with: header) || header.starts(with: bytes) }
        guard case .object(let object)? = try? JSONReader.read(bytes, limits: .replies) else { return false }
        return ["recording", "subscription", "grant", "resource", "gap", "sequence"].contains { object[$0] != nil }
    }
}
