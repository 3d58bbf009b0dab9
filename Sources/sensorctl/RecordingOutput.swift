internal import BrokerClient
internal import Formats
internal import Readings
internal import Replay
internal import Varlink

/// Writes the recording of an `import`, within the limits of replay.
struct RecordingOutput {
    private static let piece = 1 << 16

    /// The number of samples.
    private(set) var count = 0
    private let resource: String?
    /// The limit of replay; smaller in tests.
    private let maximumBytes: Int
    private var lastNanoseconds: Int64 = 0
    private var kind: Kind?
    private var bytes: [UInt8] = []
    private var length = 0

    /// Creates an output with a name for the resource; nil: the usual one of its kind.
    init(resource: String?, maximumBytes: Int = Recording.maximumBytes) {
        self.resource = resource
        self.maximumBytes = maximumBytes
    }

    /// Adds a sample from a line of the input; returns bytes to write once there are enough of them.
    mutating func add(_ sample: ImportedSample, line: Int) throws(FormatError) -> [UInt8] {
        guard sample.offsetNanoseconds < Recording.longestNanoseconds else {
            throw FormatError(
                line: line,
                "it is more than ten years after the first one, too long for a recording: is one of the times wrong?")
        }
        if count == 0 {
            add(Recorder.header([], bootNanoseconds: 0, utcMicroseconds: max(0, sample.utcMicroseconds ?? 0)))
            addKind(of: sample.measurement)
        }
        add(JSONFormat.line(object(sample)))
        count += 1
        lastNanoseconds = sample.offsetNanoseconds
        kind = sample.measurement.kind
        guard length <= maximumBytes else {
            throw FormatError(
                line: line,
                "the recording would be longer than \(maximumBytes >> 20) MiB, the limit of --replay: "
                    + "split the file")
        }
        return bytes.count < Self.piece ? [] : rest()
    }

    /// The name of the resource.
    var name: String { kind.map { name(for: $0) } ?? "" }

    /// The time from the first to the last sample.
    var lengthText: String { DecimalText.clock(seconds: lastNanoseconds / 1_000_000_000) }

    /// The bytes that have not been returned.
    mutating func rest() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func add(_ line: String) {
        let before = bytes.count
        bytes += line.utf8
        bytes.append(UInt8(ascii: "\n"))
        length += bytes.count - before
    }

    private func name(for kind: Kind) -> String { resource ?? kind.row.resource }

    /// Adds a line with the resource's kind, unless its name determines it.
    private mutating func addKind(of measurement: Measurement) {
        let name = name(for: measurement.kind)
        guard ResourceName(name).flatMap({ Kind(resource: $0.word) }) != measurement.kind else { return }
        add(
            JSONFormat.line([
                "resource": .object([
                    "name": .string(name), "kind": .string(measurement.kind.wire), "state": "active",
                ])
            ]))
    }

    private func object(_ sample: ImportedSample) -> JSONObject {
        var object: JSONObject = [
            "resource": .string(name(for: sample.measurement.kind)), "sequence": .integer(Int64(count)),
            "timestampNanoseconds": .integer(sample.offsetNanoseconds),
        ]
        switch sample.measurement {
        case .location(let location): _ = object.append("location", .object(location.object))
        case .values(let values):
            let names = values.kind.row.channels.map(\.description)
            let columns = zip(names, values.numbers).map { ($0, JSONValue.array([.number($1)])) }
            _ = object.append("values", .object(["columns": .object(JSONObject(columns))]))
        case .orientation(let orientation): _ = object.append("orientation", .string(orientation.rawValue))
        }
        return object
    }
}
