internal import Platform

/// What sensors measured once, as `sensorctl record` or `sensorctl watch --format json` wrote it: one JSON object a line.
///
/// docs/recording.md has the format. All of it is kept in memory. Times are from the first event on, sessions that were
/// appended to each other follow with a pause of a second. A last line without its end is that of a recorder which was
/// killed, and is passed over.
public struct Recording: Sendable {
    /// A track for each resource, in the order in which they first appear; not empty, and none of them is.
    public let tracks: [RecordedTrack]
    /// From the first event to the last one of all tracks.
    public let lengthNanoseconds: Int64
    /// When each of its sessions began.
    public let sessions: [RecordedSession]

    /// The longest file that is read.
    public static let maximumBytes = 256 << 20
    /// Nothing lasts longer than ten years; so differences of times fit.
    public static let longestNanoseconds: Int64 = 10 * 366 * 86_400_000_000_000
    /// The most resources that are played.
    static let maximumTracks = 32
    /// From the end of one session to the begin of the next one.
    static let pauseNanoseconds: Int64 = 1_000_000_000

    /// Reads a file. `open(2)`, `read(2)`
    public init(path: String) throws(RecordingError) {
        let bytes: [UInt8]?
        do { bytes = try WholeFile.read(path, maximumBytes: Self.maximumBytes) } catch { throw .unreadable("\(error)") }
        guard let bytes else { throw .unreadable("there is no file \(path)") }
        try self.init(parsing: bytes)
    }

    /// Reads the content of a file.
    public init(parsing bytes: [UInt8]) throws(RecordingError) {
        var reader = RecordingReader()
        var (start, number) = (0, 0)
        // Behind the last line's end there is nothing, or half a line.
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

    /// UTC of an event, in microseconds since 1970, where its session says what the clocks showed.
    public func utcMicroseconds(of event: RecordedEvent) -> Int64? {
        session(of: event)?.utcMicroseconds(atOffset: event.stampNanoseconds)
    }

    /// CLOCK_BOOTTIME of an event, as it was when the recording was made: what stands in the file.
    public func bootNanoseconds(of event: RecordedEvent) -> Int64 {
        session(of: event)?.bootNanoseconds(atOffset: event.stampNanoseconds) ?? event.stampNanoseconds
    }

    private func session(of event: RecordedEvent) -> RecordedSession? {
        sessions.last { $0.offsetNanoseconds <= event.offsetNanoseconds }
    }

    /// A recording of tracks; those without a sample are left out.
    init(tracks: [RecordedTrack], sessions: [RecordedSession] = []) {
        self.tracks = tracks.filter { $0.sampleCount > 0 }
        self.sessions = sessions
        lengthNanoseconds = self.tracks.compactMap { $0.events.last?.offsetNanoseconds }.max() ?? 0
    }
}
