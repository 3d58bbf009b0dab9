internal import Varlink

/// How this program's recordings identify themselves.
public enum RecordingFormat {
    /// The name of the format, in the first line.
    public static let name = "io.sensorbroker.recording"
    /// The version that is written; later ones are not read.
    public static let version: Int64 = 1
    /// A wall clock that is set by more than this begins a session.
    public static let clockStepNanoseconds: Int64 = 100_000_000

    /// Whether the clock of people followed a reference when a session with this header began; nil: it does not state that.
    public static func followedReference(_ header: some Sequence<UInt8>) -> Bool? {
        guard case .object(let line)? = try? JSONReader.read(Array(header), limits: .replies),
            case .bool(let followed)? = line.object("recording")?["synchronized"]
        else { return nil }
        return followed
    }

    /// Whether a damaged line may have begun a session: its word is there twice, and was damaged once.
    public static func mayBeHeader(_ line: [UInt8]) -> Bool {
        let word = Array("recording".utf8)
        return line.indices.contains { line[$0...].starts(with: word) }
    }

    /// Whether a file that begins with these bytes is a recording, or was to become one: nothing is there yet, or the zeros
    /// with which a power failure fills up what was not on the disk.
    public static func isBeginning(_ head: some BidirectionalCollection<UInt8>) -> Bool {
        guard !head.contains(UInt8(ascii: "\n")) else {
            return isFirstLine(head.prefix { $0 != UInt8(ascii: "\n") }, isWhole: true)
        }
        return isFirstLine(head.dropLast(head.reversed().prefix { $0 == 0 }.count), isWhole: false)
    }

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
