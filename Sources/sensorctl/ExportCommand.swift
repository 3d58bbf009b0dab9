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
            "The name of FILE says the format: `.gpx`, `.kml` and `.geojson` hold locations, and `.csv` holds the readings of one "
                + "kind. Without FILE, or where it is `-`, the standard output is written. `-` for RECORDING is the standard "
                + "input."
        ],
        examples: [
            ("sensorctl export drive.ndjson drive.gpx", "a track for a map"),
            ("sensorctl export drive.ndjson drive.csv --resource accelerometer", "a table of one resource"),
        ]
    ) { invocation throws(UsageError) in ExportCommand(options: try ExportOptions(invocation)) }
}

/// `sensorctl export`: a recording in other programs' formats.
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

    /// A table has the columns of one kind, and other formats know locations only.
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
        throw Failure(.data, "there is nothing in it for \(options.target.rawValue); what there is: \(names)")
    }

    /// Locations with their times; where something is missing, a piece ends.
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
