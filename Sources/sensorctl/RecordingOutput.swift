internal import BrokerClient
internal import Formats
internal import Readings
internal import Replay
internal import Varlink

/// The recording that `import` makes, sample by sample; it holds to what replay takes.
struct RecordingOutput {
    private static let piece = 1 << 16

    /// How many samples are in it.
    private(set) var count = 0
    private let resource: String?
    /// What replay takes; less in tests.
    private let maximumBytes: Int
    private var bytes: [UInt8] = []
    private var length = 0

    /// One whose resource has a name, or that of what it measures.
    init(resource: String?, maximumBytes: Int = Recording.maximumBytes) {
        self.resource = resource
        self.maximumBytes = maximumBytes
    }

    /// Adds a sample out of a line of the input; returns bytes that are to be written, once they are worth a call.
    mutating func add(_ sample: ImportedSample, line: Int) throws(FormatError) -> [UInt8] {
        guard sample.offsetNanoseconds < Recording.longestNanoseconds else {
            throw FormatError(
                line: line,
                "it is more than ten years after the first one, which no recording lasts: is one of their times wrong?")
        }
        if count == 0 {
            add(Recorder.header([], bootNanoseconds: 0, utcMicroseconds: max(0, sample.utcMicroseconds ?? 0)))
            addKind(of: sample.measurement)
        }
        add(JSONFormat.line(object(sample)))
        count += 1
        guard length <= maximumBytes else {
            throw FormatError(
                line: line,
                "the recording would be longer than \(maximumBytes >> 20) MiB, which is what replay takes: "
                    + "divide the file")
        }
        return bytes.count < Self.piece ? [] : rest()
    }

    /// What has not been returned yet.
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

    /// The line that says what the resource measures, where its name does not.
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
