internal import Formats
internal import GPX
internal import Glibc
internal import Printable
internal import Programs
internal import Readings

extension Command {
    static let importing = Self(
        name: "import", summary: "Convert another program's file to a recording",
        operands: [Operand(name: "INPUT", completion: .files), Operand(name: "RECORDING", completion: .files)],
        options: [.from, .columns, .pointInterval, .importedResource, .force], formats: [],
        description: [
            "INPUT is a table of sensors (CSV), a GPX file, or a receiver's log (NMEA 0183). KML, FIT, TCX, IGC, GeoJSON and all other formats "
                + "that gpsbabel knows are read with gpsbabel, if it is installed. The content of a file shows its format; its name does not count. "
                + "Where the content does not show it, `--from` names it. `-` is the standard input or the standard output.",
            "A table with several sensors becomes all of them, and segments of a track have gaps between them. What cannot be read, such as "
                + "a row without a time, is left out. The recording appears under its name when it is complete. At the end "
                + "it says what was written, and what was left out and why.",
        ],
        examples: [
            ("sensorctl import tour.gpx tour.ndjson", "a track"),
            ("sensorctl import ride.fit ride.ndjson", "a sports watch's file, with gpsbabel"),
            (
                "sensorctl import log.csv log.ndjson --columns time=t:ms,x=ax:g,y=ay,z=az",
                "a table whose columns have unusual names"
            ),
        ]
    ) { invocation throws(UsageError) in try ImportCommand(invocation) }
}

/// `sensorctl import`: converts another program's file to a recording.
///
/// It reads and writes piece by piece, so its memory does not depend on the length of the file.
struct ImportCommand: Action, Equatable {
    /// The file to read; `-` is the standard input.
    let input: String
    /// The recording to write; `-` is the standard output.
    let output: String
    /// The format of the input; nil: detected from its content.
    let source: FileFormat?
    /// The name of the resource; nil: the usual one of its kind.
    let resource: String?
    let columns: String?
    /// The interval between samples in a file without times.
    let intervalNanoseconds: Int64?
    let replaces: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        (input, output) = (invocation.operands[0], invocation.operands[1])
        try ExportOptions.checkRecording(output)
        source = try invocation.value(.from) { name throws(UsageError) in
            guard let format = FileFormat(named: name) else {
                throw UsageError(
                    "'\(name)' is not the name of a format: write csv, gpx, nmea, or a name that gpsbabel -h lists")
            }
            return format
        }
        resource = try invocation.value(.importedResource, ExportOptions.name)
        columns = invocation.options[.columns]
        replaces = invocation.has(.force)
        intervalNanoseconds = try invocation.value(.pointInterval, TimeWords.interval(_:))
        if intervalNanoseconds == 0 { throw UsageError("--interval needs more than 0, such as 1s") }
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let input = try InputFile(input)
        var output = try CommandOutput(output, of: self.input, replaces: replaces, terminal)
        var recording = RecordingOutput(resource: resource)
        let progress = Progress(terminal, input.name, writesToFile: output.isFile)
        defer { progress.end() }
        let kept = KeptFailure()
        let notes: ConversionNotes
        do throws(FormatError) {
            notes = try read(input, progress, kept) { (sample, line) throws(FormatError) in
                let bytes = try recording.add(sample, line: line)
                progress.count = recording.count
                guard !bytes.isEmpty else { return }
                try kept.keep { () throws(Failure) in try output.write(bytes) }
            }
        } catch { throw kept.failure ?? Failure(.data, "\(input.name): \(error)") }
        guard recording.count > 0 else { throw Failure(.data, "\(input.name): there is nothing in it") }
        try output.write(recording.rest())
        try output.finish()
        progress.end()
        let parts = [recording.summary] + notes.texts
        terminal.note("sensorctl: \(output.name.printable): \(parts.joined(separator: "; "))")
    }

    /// Reads the samples of a file in any format; returns what was left out.
    private func read(
        _ input: InputFile, _ progress: Progress, _ kept: KeptFailure,
        _ take: @escaping ImportedSample.Taker
    ) throws(FormatError) -> ConversionNotes {
        func content(of file: InputFile) -> FileContent {
            file.content { hundredths throws(FormatError) in
                progress.show(hundredths)
                try kept.keep { () throws(Failure) in try HeldSignals.check() }
            }
        }
        func gpx(_ file: InputFile) throws(FormatError) -> ConversionNotes {
            try GPXReader.read(
                content(of: file), intervalNanoseconds: intervalNanoseconds, begin: progress.begin(pass:of:),
                take)
        }
        let format: FileFormat
        if let source { format = source } else { format = try content(of: input).format() }
        guard columns == nil || format == .csv else { throw FormatError("--columns is for tables only") }
        switch format {
        case .csv:
            return try TableImport.read(
                content(of: input), naming: columns, intervalNanoseconds: intervalNanoseconds,
                kind: resource.flatMap { ResourceName($0) }.flatMap { Kind(resource: $0.word) }, take)
        case .nmea: return try NMEAReader.read(content(of: input), take)
        case .gpx: return try gpx(input)
        case .foreign(let name):
            let made = try kept.keep { () throws(Failure) in try Gpsbabel.gpx(of: input, as: name) }
            return try gpx(made)
        }
    }
}

/// An error of another kind than the format's: readers throw only those, so it is kept until they have ended.
private final class KeptFailure {
    private(set) var failure: Failure?

    func keep<Result: ~Copyable>(_ body: () throws(Failure) -> Result) throws(FormatError) -> Result {
        do throws(Failure) { return try body() } catch {
            failure = error
            throw FormatError("")
        }
    }
}
