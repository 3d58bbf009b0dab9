internal import Formats
internal import GPX
internal import Glibc
internal import Platform
internal import Printable
internal import Readings

extension Command {
    static let importing = Self(
        name: "import", summary: "Convert another program's file to a recording",
        operands: [Operand(name: "INPUT", completion: .files), Operand(name: "RECORDING", completion: .files)],
        options: [.from, .columns, .pointInterval, .importedResource, .force],
        description: [
            "INPUT is a receiver's log (NMEA 0183), a GPX file or a table (CSV). `-` is the standard input or the standard "
                + "output. The recording appears under its name when it is complete. At the end it says what was written, and what was skipped."
        ],
        examples: [
            ("sensorctl import tour.gpx tour.ndjson", "a track"),
            (
                "sensorctl import log.csv log.ndjson --columns time=t:ms,x=ax:g,y=ay,z=az",
                "a table whose columns have unusual names"
            ),
        ]
    ) { invocation throws(UsageError) in ImportCommand(options: try ImportOptions(invocation)) }
}

/// `sensorctl import`: converts another program's file to a recording.
///
/// It reads and writes piece by piece, so its memory does not depend on the length of the file.
struct ImportCommand: Action, Equatable {
    let options: ImportOptions

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let input = try InputFile(options.input)
        let path = options.output == "-" ? nil : options.output
        var output = try CommandOutput(path, replaces: options.replaces, terminal)
        var recording = RecordingOutput(resource: options.resource)
        var failure: Failure?
        let progress = Progress(terminal, input.name, writesToFile: path != nil)
        defer { progress.end() }
        /// Readers only throw errors of the format, so any other error is kept here.
        func keep(_ body: () throws(Failure) -> Void) throws(FormatError) {
            do throws(Failure) { try body() } catch {
                failure = error
                throw FormatError("")
            }
        }
        let notes: [String]
        do throws(FormatError) {
            let content = input.content { hundredths throws(FormatError) in
                progress.show(hundredths)
                try keep { () throws(Failure) in try HeldSignals.check() }
            }
            notes = try read(content) { (sample, line) throws(FormatError) in
                let bytes = try recording.add(sample, line: line)
                progress.count = recording.count
                guard !bytes.isEmpty else { return }
                try keep { () throws(Failure) in try output.write(bytes) }
            }
        } catch {
            throw failure ?? Failure(.data, "\(input.name): \(error)")
        }
        guard recording.count > 0 else { throw Failure(.data, "\(input.name): there is nothing in it") }
        try output.write(recording.rest())
        try output.finish()
        progress.end()
        let parts = ["\(recording.count) readings of \(recording.name), \(recording.lengthText)"] + notes
        terminal.note("sensorctl: \(output.name.printable): \(parts.joined(separator: "; "))")
    }

    private func read(
        _ content: FileContent, _ take: @escaping ImportedSample.Taker
    ) throws(FormatError) -> [String] {
        let seen = try content.kind()
        let source = options.source ?? seen
        guard options.columns == nil || source == .csv else { throw FormatError("--columns is for tables only") }
        switch source {
        case .gpx: return try GPXReader.read(content, intervalNanoseconds: options.intervalNanoseconds, take)
        case .nmea: return try NMEAReader.read(content, take)
        case .csv:
            return try TableImport.read(
                content, naming: options.columns, intervalNanoseconds: options.intervalNanoseconds,
                kind: options.resource.flatMap { Kind(resource: $0.word) }, take)
        }
    }
}

/// The input and the output of `import`.
struct ImportOptions: Equatable {
    /// The file to read; `-` is the standard input.
    let input: String
    /// The recording to write; `-` is the standard output.
    let output: String
    /// The format of the input; nil: detected from its content.
    let source: FileContent.Kind?
    /// The name of the resource; nil: the usual one of its kind.
    let resource: String?
    /// The meaning of the columns.
    let columns: String?
    /// The interval between samples in a file without times.
    let intervalNanoseconds: Int64?
    /// Whether to replace an existing file.
    let replaces: Bool

    /// Reads a command line.
    init(_ invocation: Invocation) throws(UsageError) {
        let options = invocation.options
        (input, output) = (invocation.operands[0], invocation.operands[1])
        source = options[.from].flatMap { FileContent.Kind(rawValue: $0) }
        resource = try options[.importedResource].map { text throws(UsageError) in try ExportOptions.name(text) }
        columns = options[.columns]
        replaces = invocation.has(.force)
        intervalNanoseconds = try options[.pointInterval].map { text throws(UsageError) in
            let interval = try TimeWords.interval(text)
            guard interval > 0 else { throw UsageError("--interval needs more than 0, such as 1s") }
            return interval
        }
    }
}
