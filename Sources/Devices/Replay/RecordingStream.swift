public import Readings

/// Reads a recording piece by piece: what stands in it, in memory that does not depend on its length.
///
/// Events come as they stand in the file, with the times of their session; `Recording` sorts them for a replay. An incomplete
/// last line was left by a killed recorder, and is never yielded; neither is a line with zeros, which no JSON has and a power
/// failure leaves, but for the first: a file that begins with them is no recording. Nor is any other line that cannot be understood,
/// since a host of a fleet may have sent it: it costs itself alone. Without the beginning of a session nothing is dated, so that has
/// to be right.
public struct RecordingStream {
    /// What stands in a recording.
    package enum Event: Equatable, Sendable {
        /// A session begins; with its clocks if the recorder wrote them.
        case session(RecordedClocks?)
        /// A sample, stamped with the session's CLOCK_BOOTTIME.
        case sample(resource: Int, sequence: Int64, atNanoseconds: Int64, Measurement)
        /// Missing readings; `cause` is that in the recorder's word, which may be none of the broker's: then the gap
        /// has the nearest of those, `slowClient`, since this reader did not get them.
        indirect case gap(resource: Int, Gap, cause: String)
        /// A state that holds from here on; older recordings do not state since when.
        indirect case state(resource: Int, ResourceState, atNanoseconds: Int64?)
        /// The interval from here on, and whether the recorder asked for it or the device has it.
        case interval(resource: Int, nanoseconds: Int64, isDecimated: Bool)
    }

    /// A resource of the recording.
    public struct Resource: Equatable, Sendable {
        /// The resource's name.
        public let name: ResourceName
        /// The resource's kind.
        public let kind: Kind
        /// Whether the lines of the present session are about another sensor of this name.
        var isAnother = false
    }

    /// The longest line; one line of a batch has some thousand samples.
    private static let longestLine = 64 << 20

    /// The number of the latest line, counted from 1.
    package private(set) var line = 0
    /// Lines that were left out, since there are zeros in them.
    package private(set) var damagedLines = 0
    /// Lines that were left out, since they cannot be understood.
    package private(set) var invalidLines = 0
    /// The first of these.
    package private(set) var firstInvalid: RecordingError?
    /// Whether a line of the present file was understood; else it is no recording.
    private var isRecording = false
    private var decoder = LineDecoder()
    private var bytes: [UInt8] = []
    private var position = 0
    /// How far no line end was found.
    private var searched = 0
    /// Events of the latest line that were not yielded yet, the next one last.
    private var waiting: [Event] = []

    /// Creates a stream that has read nothing.
    public init() {}

    /// The resources so far, in order of first appearance; events have their numbers.
    public var resources: [Resource] { decoder.resources }

    /// Samples that were left out: nothing states what they measure, or it is another thing than in an earlier session.
    public var unknownSamples: Int { decoder.unknownSamples }

    /// Samples that were left out: those of other resources that a reading carries, since it is aligned.
    public var alignedSamples: Int { decoder.alignedSamples }

    /// Takes the next piece of the file.
    public mutating func add(_ piece: some Collection<UInt8>) throws(RecordingError) {
        bytes.removeSubrange(..<position)
        searched -= position
        position = 0
        guard bytes.count <= Self.longestLine else { throw .line(line + 1, "it is longer than any recorder writes") }
        bytes += piece
    }

    /// What is added from here on is of another file.
    package mutating func beginFile() { isRecording = false }

    /// The next event; nil if the next piece has to be added first.
    package mutating func next() throws(RecordingError) -> Event? {
        while true {
            if let event = waiting.popLast() { return event }
            guard let end = nextLineEnd() else { return nil }
            let start = position
            line += 1
            (position, searched) = (end + 1, end + 1)
            if let sample = decoder.sample(in: bytes, start..<end) { return sample }
            do throws(RecordedLineError) {
                waiting = try decoder.events(in: bytes, start..<end)
                isRecording = isRecording || end > start
            } catch {
                try leaveOut(error, hasZeros: bytes[start..<end].contains(0))
            }
            waiting.reverse()
        }
    }

    /// Counts the latest line as left out, if the others can be read without it.
    private mutating func leaveOut(_ error: RecordedLineError, hasZeros: Bool) throws(RecordingError) {
        if hasZeros, line > 1 { return damagedLines += 1 }
        let invalid = RecordingError.line(line, error.words)
        guard isRecording, !error.isOfHeader else { throw invalid }
        invalidLines += 1
        firstInvalid = firstInvalid ?? invalid
    }

    private mutating func nextLineEnd() -> Int? {
        let end = Self.lineEnd(in: bytes.span, from: searched)
        searched = end ?? bytes.count
        return end
    }

    private static func lineEnd(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") { return index }
            index += 1
        }
        return nil
    }
}
