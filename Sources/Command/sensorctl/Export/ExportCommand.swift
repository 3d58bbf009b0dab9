internal import BrokerClient
internal import Formats
internal import Printable
internal import Programs

extension Command {
    static let exporting = Self(
        name: "export", summary: "Write a recording in the format of another program",
        operands: [
            Operand(name: "RECORDING", completion: .files), Operand(name: "FILE", completion: .files, isOptional: true),
        ],
        options: [.to, .exportedResource, .force], formats: [],
        description: [
            "The name of FILE determines the format: `.gpx`, `.kml` and `.geojson` hold locations, `.csv` holds the readings of one "
                + "kind, `.mcap` holds everything as messages of ROS 2, for Foxglove, PlotJuggler, Rerun and `ros2 bag`, and `.ndjson` "
                + "is the recording itself, decompressed. Without FILE, or if it is `-`, the output goes to the standard output. `-` "
                + "for RECORDING is the standard input.",
            "RECORDING may be compressed. If there is no file of that name, but those of a rotated recording, all of them are read in "
                + "order.",
            "At the end it says what was written, and what was left out. It reads piece by piece, some formats more than once, so its "
                + "memory does not depend on the length of the recording; a temporary file in `$TMPDIR` holds what KML and GeoJSON have later in the file.",
        ],
        examples: [
            ("sensorctl export drive.ndjson drive.gpx", "a track for a map"),
            ("sensorctl export drive.ndjson drive.csv --resource accelerometer", "a table of one resource"),
            ("sensorctl export drive.ndjson drive.mcap", "everything, for robots' tools"),
            ("sensorctl export log.ndjson.zst log.ndjson", "all files of a rotated recording as one, for --replay"),
        ]
    ) { invocation throws(UsageError) in try ExportOptions(invocation) }
}

/// `sensorctl export`: converts a recording to other programs' formats.
extension ExportOptions {
    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let recording = try RecordingInput(input)
        var output = try CommandOutput(output, of: input, replaces: replaces, terminal)
        let progress = Progress(terminal, recording.name, writesToFile: output.isFile)
        defer { progress.end() }
        var summary = try Export(options: self, input: recording, progress: progress).write(to: &output)
        try output.finish()
        recording.noteIncompleteLines(in: &summary.notes)
        progress.end()
        terminal.note("sensorctl: \(output.name.printable): \(summary.text)")
    }
}

/// An export as it goes on.
struct Export {
    let options: ExportOptions
    let input: RecordingInput
    let progress: Progress

    /// Writes the recording in the format that is wanted.
    func write(to output: inout CommandOutput) throws(Failure) -> ExportSummary {
        switch options.target {
        case .gpx, .kml, .geojson: try writePaths(to: &output)
        case .csv: try writeTable(to: &output)
        case .mcap: try writeMessages(to: &output)
        case .ndjson: try writeLines(to: &output)
        }
    }

    /// Copies the lines of a recording, as they are.
    private func writeLines(to output: inout CommandOutput) throws(Failure) -> ExportSummary {
        var lines = 0
        try input.each { (piece, percent) throws(Failure) in
            if lines == 0 {
                let first = piece.prefix { $0 != UInt8(ascii: "\n") }
                guard RecordingFormat.isFirstLine(first, isWhole: true) else {
                    throw Failure(.data, "\(input.presentName): line 1: this is no recording")
                }
            }
            lines += piece.count { $0 == UInt8(ascii: "\n") }
            try output.write(piece)
            progress.show(percent)
        }
        guard lines > 0 else { throw Failure(.data, "\(input.name): there is nothing in it") }
        let files = input.fileCount == 1 ? "" : " of \(input.fileCount) files"
        return ExportSummary("\(lines) lines\(files)")
    }
}
