internal import Formats
internal import Platform
internal import Readings
internal import Replay

extension Command {
    static let exporting = Self(
        name: "export", summary: "Write a recording in the format of another program",
        operands: [
            Operand(name: "RECORDING", completion: .files), Operand(name: "FILE", completion: .files, isOptional: true),
        ],
        options: [.to, .exportedResource, .force],
        description: [
            "The name of FILE determines the format: `.gpx`, `.kml` and `.geojson` hold locations, and `.csv` holds the readings of one "
                + "kind. Without FILE, or if it is `-`, the output goes to the standard output. `-` for RECORDING is the standard "
                + "input."
        ],
        examples: [
            ("sensorctl export drive.ndjson drive.gpx", "a track for a map"),
            ("sensorctl export drive.ndjson drive.csv --resource accelerometer", "a table of one resource"),
        ]
    ) { invocation throws(UsageError) in ExportCommand(options: try ExportOptions(invocation)) }
}

/// `sensorctl export`: converts a recording to other programs' formats.
struct ExportCommand: Action, Equatable {
    let options: ExportOptions

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let input = try InputFile(options.input)
        let recording: Recording
        let bytes = try input.bytes(atMost: Recording.maximumBytes)
        do throws(RecordingError) { recording = try Recording(parsing: bytes) } catch {
            throw Failure(.data, "\(input.name): \(error)")
        }
        let text = try self.text(recording)
        guard let path = options.output else { return try terminal.write(text) }
        var output = try OutputFile(path, replaces: options.replaces)
        try output.write(Array(text.utf8))
        try output.finish()
    }

    private func text(_ recording: Recording) throws(Failure) -> String {
        if options.target == .csv { return try table(recording) }
        let tracks = try chosen(recording, fitting: { $0.kind == .location })
        let paths = tracks.map { WrittenPath(name: $0.name.description, pieces: Self.pieces($0, recording)) }
        switch options.target {
        case .gpx: return GPXWriter.text(paths, creator: "sensorctl \(Version.text)")
        case .kml: return KMLWriter.text(paths)
        case .geojson, .csv: return GeoJSONWriter.text(paths)
        }
    }

    /// A table has the columns of one kind; other formats have locations only.
    private func table(_ recording: Recording) throws(Failure) -> String {
        let tracks = try chosen(recording, fitting: { _ in true })
        guard let track = tracks.first, tracks.allSatisfy({ $0.kind == track.kind }) else {
            let names = tracks.map(\.name.description).joined(separator: ", ")
            throw Failure(
                .usage, "csv has the columns of one kind, but there are \(names): choose with --resource NAME")
        }
        let header = CSVFormat.row(CSVFormat.columns(of: track.kind))
        return ([header] + tracks.flatMap { Self.rows($0, recording) }).map { $0 + "\n" }.joined()
    }

    private func chosen(_ recording: Recording, fitting fits: (RecordedTrack) -> Bool) throws(Failure)
        -> [RecordedTrack]
    {
        let tracks = recording.tracks.filter { track in
            fits(track) && (options.resource.map { $0 == track.name.description } ?? true)
        }
        guard tracks.isEmpty else { return tracks }
        let names = recording.tracks.map { "\($0.name) (\($0.kind.wire))" }.joined(separator: ", ")
        throw Failure(.data, "it has no readings that \(options.target.rawValue) can hold, only \(names)")
    }

    /// Locations with their times; a gap ends a piece.
    private static func pieces(_ track: RecordedTrack, _ recording: Recording) -> [[TimedLocation]] {
        var pieces: [[TimedLocation]] = [[]]
        for event in track.events {
            switch event.content {
            case .sample(_, .location(let location)) where location.latitudeDegrees != nil:
                let point = TimedLocation(location, utcMicroseconds: recording.utcMicroseconds(of: event))
                pieces[pieces.count - 1].append(point)
            case .interval, .state(.active), .state(.starting), .state(.stale): break
            default: if pieces.last?.isEmpty == false { pieces.append([]) }
            }
        }
        return pieces
    }

    private static func rows(_ track: RecordedTrack, _ recording: Recording) -> [String] {
        track.events.compactMap { event in
            guard case .sample(let sequence, let measurement) = event.content else { return nil }
            let time = recording.utcMicroseconds(of: event).map { CalendarTime.text(microseconds: $0) } ?? ""
            let cells = [track.name.description, "\(sequence)", "\(recording.bootNanoseconds(of: event))", time]
            return CSVFormat.row(cells + CSVFormat.cells(measurement))
        }
    }
}

/// The input and the output of `export`.
struct ExportOptions: Equatable {
    /// The output formats.
    enum Target: String, CaseIterable {
        case gpx
        case csv
        case kml
        case geojson

        /// The format for a file name's suffix.
        init?(suffixOf path: String) {
            let suffix = path.lowercased().split(separator: ".").last.map { String($0) } ?? ""
            self.init(rawValue: suffix == "json" ? "geojson" : suffix)
        }
    }

    /// The recording to read; `-` is the standard input.
    let input: String
    /// The file to write; nil: the standard output.
    let output: String?
    /// The output format.
    let target: Target
    /// The resource to export; nil: all that fit the format.
    let resource: String?
    /// Whether to replace an existing file.
    let replaces: Bool

    /// Reads a command line.
    init(_ invocation: Invocation) throws(UsageError) {
        let (operands, options) = (invocation.operands, invocation.options)
        input = operands[0]
        output = operands.count == 2 && operands[1] != "-" ? operands[1] : nil
        replaces = invocation.has(.force)
        resource = try options[.exportedResource].map { text throws(UsageError) in try Self.name(text) }
        guard let target = options[.to].map({ Target(rawValue: $0) }) ?? output.flatMap({ Target(suffixOf: $0) }) else {
            throw UsageError(
                "the format is missing: name a file that ends in .gpx, .csv, .kml or .geojson, or add --to gpx")
        }
        self.target = target
    }

    static func name(_ text: String) throws(UsageError) -> String {
        guard ResourceName(text) != nil else {
            throw UsageError("'\(text)' is not the name of a resource: write it like location or accelerometer:1")
        }
        return text
    }
}
