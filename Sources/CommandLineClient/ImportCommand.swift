internal import BrokerClient
internal import Formats
internal import Platform
internal import Readings
internal import Replay
internal import Varlink

/// `sensorctl import`: another program's file as a recording.
struct ImportCommand {
    let options: ImportOptions

    func run(_ terminal: Terminal) throws(Failure) {
        let bytes = try InputFile.read(options.input)
        let imported: ImportedSamples
        do throws(FormatError) { imported = try samples(bytes) } catch {
            throw Failure(.data, "\(options.input): \(error)")
        }
        let text = try lines(imported).map { $0 + "\n" }.joined()
        try OutputFile.write(text, to: options.output, replaces: false)
        for note in imported.notes { terminal.note("sensorctl: \(options.input.printable): \(note)") }
    }

    private func samples(_ bytes: [UInt8]) throws(FormatError) -> ImportedSamples {
        let source = options.source ?? Self.source(bytes)
        guard options.columns == nil || source == .csv else { throw FormatError("--columns is for tables only") }
        switch source {
        case .gpx:
            let paths = try GPXReader.paths(bytes)
            return try ImportedSamples(
                locations: Array(paths.joined()), intervalNanoseconds: options.intervalNanoseconds)
        case .nmea: return try NMEAReader.samples(bytes)
        case .csv:
            return try TableImport.samples(
                bytes, naming: options.columns, intervalNanoseconds: options.intervalNanoseconds)
        }
    }

    /// What a file looks like: XML begins with `<`, in whatever encoding, and sentences with `$`.
    private static func source(_ bytes: [UInt8]) -> ImportOptions.Source {
        let head = bytes.prefix(4_096)
        if head.first(where: { $0 != 0xEF && $0 != 0xBB && $0 != 0xBF && $0 != 0xFE && $0 != 0xFF && $0 > 32 })
            == UInt8(ascii: "<")
        {
            return .gpx
        }
        let marks = ["$GP", "$GN", "$GL", "$GA", "$GB", "$BD"].map { Array($0.utf8) }
        let isLog = head.indices.contains { index in marks.contains { head[index...].starts(with: $0) } }
        return isLog ? .nmea : .csv
    }

    private func lines(_ imported: ImportedSamples) throws(Failure) -> [String] {
        guard let kind = imported.samples.first?.measurement.kind else {
            throw Failure(.data, "there is nothing in it")
        }
        let name = options.resource ?? (kind == .location ? "location" : "accelerometer")
        let header = Recorder.header([], bootNanoseconds: 0, utcMicroseconds: imported.utcMicroseconds ?? 0)
        return [header]
            + imported.samples.enumerated().map { index, sample in
                var object: JSONObject = [
                    "resource": .string(name), "sequence": .integer(Int64(index)),
                    "timestampNanoseconds": .integer(sample.offsetNanoseconds),
                ]
                switch sample.measurement {
                case .location(let location): _ = object.append("location", .object(location.object))
                case .acceleration(let value):
                    _ = object.append(
                        "acceleration",
                        .object([
                            "x": .array([.number(value.x)]), "y": .array([.number(value.y)]),
                            "z": .array([.number(value.z)]),
                        ]))
                case .orientation(let orientation):
                    _ = object.append("orientation", .string(orientation.rawValue))
                }
                return JSONFormat.line(object)
            }
    }
}
