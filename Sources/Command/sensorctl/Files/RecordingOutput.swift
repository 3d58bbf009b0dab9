internal import BrokerClient
internal import Formats
internal import Printable
internal import Readings
internal import Replay
internal import Varlink

/// Writes the recording of an `import`, within the limits of replay.
struct RecordingOutput {
    private struct Resource {
        let kind: Kind
        let sensor: Int
        let name: String
        var count = 0
        var lastNanoseconds: Int64 = 0
        var piece = 0
    }

    private static let size = 1 << 16

    private(set) var count = 0
    private let resource: String?
    /// The limit of replay; smaller in tests.
    private let maximumBytes: Int
    private var resources: [Resource] = []
    /// The first sample's time, from which the recording counts.
    private var start: Int64 = 0
    private var longest: Int64 = 0
    private var bytes: [UInt8] = []
    private var length = 0

    /// Creates an output with a name for the resource; nil: the usual one of its kind.
    init(resource: String?, maximumBytes: Int = Recording.maximumBytes) {
        self.resource = resource
        self.maximumBytes = maximumBytes
    }

    /// Adds a sample from a line of the input; returns bytes to write once there are enough of them.
    mutating func add(_ sample: ImportedSample, line: Int) throws(FormatError) -> [UInt8] {
        if count == 0 {
            start = sample.offsetNanoseconds
            add(Recorder.header([], bootNanoseconds: 0, utcMicroseconds: max(0, sample.utcMicroseconds ?? 0)))
        }
        let (time, overflow) = sample.offsetNanoseconds.subtractingReportingOverflow(start)
        guard !overflow, time < Recording.longestNanoseconds else {
            throw FormatError(
                line: line,
                "it is more than ten years after the first one, too long for a recording: is one of the times wrong?")
        }
        guard time >= 0 else {
            throw FormatError(
                line: line, "it is earlier than the first one of another track: is one of the times wrong?")
        }
        let number = try number(of: sample, line: line)
        let before = resources[number]
        if before.count > 0, before.piece != sample.piece {
            // Between two segments of a track the receiver was off, or had no reception; nobody knows how much is missing.
            let cause = Readings.Gap.Cause.deviceLost.rawValue
            let gap = BrokerClient.Gap(before.name, cause: cause, from: before.lastNanoseconds, until: time)
            add(JSONFormat.line(["gap": .object(gap.object)]))
        }
        add(JSONFormat.line(object(sample, before, time)))
        resources[number].count += 1
        resources[number].lastNanoseconds = time
        resources[number].piece = sample.piece
        count += 1
        longest = max(longest, time)
        guard length <= maximumBytes else {
            throw FormatError(
                line: line,
                "the recording would be longer than \(maximumBytes >> 20) MiB, the limit of --replay: "
                    + "split the file")
        }
        return bytes.count < Self.size ? [] : rest()
    }

    /// What was written: `2 readings of location, 00:01:30`.
    var summary: String {
        let parts = resources.map { "\($0.count.counted("reading")) of \($0.name)" }
        return (parts + [DecimalText.clock(seconds: longest / 1_000_000_000)]).joined(separator: ", ")
    }

    /// The bytes that have not been returned.
    mutating func rest() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// The resource of a sample; a new one gets a name.
    private mutating func number(of sample: ImportedSample, line: Int) throws(FormatError) -> Int {
        let kind = sample.measurement.kind
        if let known = resources.firstIndex(where: { $0.kind == kind && $0.sensor == sample.sensor }) { return known }
        guard resources.count < Recording.maximumTracks else {
            throw FormatError(line: line, "there are more than \(Recording.maximumTracks) sensors: split the file")
        }
        if let resource, resources.contains(where: { $0.kind != kind }) {
            throw FormatError(
                "\(resource) cannot be the name of all that is in it, as of \(resources[0].kind.row.resource) and of "
                    + "\(kind.row.resource): choose one of them with --resource, or leave that out")
        }
        let name = name(resource ?? kind.row.resource, sample.sensor)
        resources.append(Resource(kind: kind, sensor: sample.sensor, name: name, piece: sample.piece))
        if ResourceName(name).flatMap({ Kind(resource: $0.word) }) != kind {
            add(
                JSONFormat.line([
                    "resource": .object([
                        "name": .string(name), "kind": .string(kind.wire), "state": "active",
                    ])
                ]))
        }
        return resources.count - 1
    }

    /// `accelerometer:1` of a second sensor.
    private func name(_ base: String, _ sensor: Int) -> String {
        guard sensor > 0 else { return base }
        return base.contains(":") ? "\(base)-\(sensor + 1)" : "\(base):\(sensor)"
    }

    private mutating func add(_ line: String) {
        let before = bytes.count
        bytes += line.utf8
        bytes.append(UInt8(ascii: "\n"))
        length += bytes.count - before
    }

    private func object(_ sample: ImportedSample, _ resource: Resource, _ time: Int64) -> JSONObject {
        var object: JSONObject = [
            "resource": .string(resource.name), "sequence": .integer(Int64(resource.count)),
            "timestampNanoseconds": .integer(time),
        ]
        switch sample.measurement {
        case .location(let location): object.member("location", .object(location.object))
        case .values(let values):
            let names = values.kind.row.channels.map(\.description)
            let columns = zip(names, values.numbers).map { ($0, JSONValue.array([.number($1)])) }
            object.member("values", .object(["columns": .object(JSONObject(columns))]))
        case .orientation(let orientation): object.member("orientation", orientation.rawValue)
        }
        return object
    }
}
