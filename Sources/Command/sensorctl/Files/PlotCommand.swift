internal import Formats
internal import Platform
internal import Printable
internal import Programs
internal import Readings
internal import Replay
internal import Reports

extension Command {
    static let plot = Self(
        name: "plot", summary: "Draw a recording",
        operands: [Operand(name: "RECORDING", completion: .files)],
        options: [.plotOutput, .plottedResource, .picture, .title, .force], formats: [],
        description: [
            "A FILE that ends in `.html` is one page that every browser shows, without the network: the track, every channel over time, spectra of vectors "
                + "such as accelerations, rates and the times between samples, with gaps and states as bands and numbers beside "
                + "them. A million samples take some seconds and ten megabytes; of more, each point of a picture stands for the "
                + "least and the greatest of several.",
            "`.svg` and `.png` hold the same pictures, of the whole recording and below each other, or only one of them with `--picture`. "
                + "They are drawn by the page's own program, which needs a JavaScript engine: `node`, `gjs` or `qjs` (Debian's packages nodejs, gjs "
                + "and quickjs). The page itself saves each of its pictures as SVG. A `.png` is made of that by `rsvg-convert`, of librsvg2-bin.",
            "`-` for RECORDING is the standard input.",
        ],
        examples: [
            ("sensorctl plot drive.ndjson -o drive.html", "a report to look at, and to send to others"),
            (
                "sensorctl plot drive.ndjson -o drive.svg --resource location",
                "the pictures of one resource for a document"
            ),
        ]
    ) { invocation throws(UsageError) in try PlotCommand(invocation) }
}

/// `sensorctl plot`: draws a recording.
///
/// It reads piece by piece and keeps a bounded summary, so its memory does not depend on the length of the recording.
struct PlotCommand: Action, Equatable {
    enum Form: String, CaseIterable {
        case html
        case svg
        case png
    }

    /// The recording to read; `-` is the standard input.
    let input: String
    /// The file to write; `-` is the standard output.
    let output: String
    let form: Form
    /// The only picture to draw; nil: all.
    let picture: String?
    /// The resource to show; nil: all.
    let resource: String?
    /// The heading; nil: the name of the recording.
    let title: String?
    /// Whether to replace an existing file.
    let replaces: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        let options = invocation.options
        input = invocation.operands[0]
        guard let file = options[.plotOutput] else {
            throw UsageError("the output is missing: add -o report.html, or -o - for the standard output")
        }
        let suffix = file.lowercased().split(separator: ".").last.map { String($0) } ?? ""
        guard let form = file == "-" ? .html : Form(rawValue: suffix) else {
            throw UsageError(
                "plot writes pages and pictures: name a file that ends in .html, .svg or .png, not '\(file)'")
        }
        self.form = form
        picture = options[.picture]
        guard picture == nil || form != .html else {
            throw UsageError("--picture is for .svg and .png; a page has all pictures")
        }
        output = file
        resource = try invocation.value(.plottedResource, ExportOptions.name)
        title = options[.title]
        replaces = invocation.has(.force)
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let input = try RecordingInput(input)
        var output = try CommandOutput(output, of: self.input, replaces: replaces, terminal)
        var notes = ConversionNotes()
        let report = try read(input, Progress(terminal, input.name, writesToFile: output.isFile), &notes)
        let title = title ?? Self.name(input.name)
        switch form {
        case .html:
            try ReportPage.write(report, title: title, program: "sensorctl \(Version.text)") {
                (bytes) throws(Failure) in try output.write(bytes)
            }
        case .svg: try output.write(PictureFile.svg(of: report, title: title, picture: picture))
        case .png: try output.write(PictureFile.png(of: report, title: title, picture: picture))
        }
        try output.finish()
        for words in notes.texts { terminal.note("sensorctl: \(output.name.printable): \(words)") }
    }

    /// The report of a recording, and what it lacks; throws if there is nothing in it.
    private func read(
        _ input: RecordingInput, _ progress: Progress, _ notes: inout ConversionNotes
    ) throws(Failure) -> Report {
        var report = Report()
        defer { progress.end() }
        notes = try input.events(progress) { event, resources in
            add(event, resources, to: &report)
        } after: { () throws(Failure) in
            progress.count = report.sampleCount
        }
        input.noteIncompleteLines(in: &notes)
        report.finish()
        guard report.sampleCount > 0 else {
            let words = resource.map { "there are no readings of \($0) in it" }
            throw Failure(.data, "\(input.name): \(words ?? "\(RecordingError.empty)")")
        }
        return report
    }

    private func add(
        _ event: RecordingStream.Event, _ resources: [RecordingStream.Resource], to report: inout Report
    ) {
        func isShown(_ number: Int) -> Bool {
            resource.map { $0 == resources[number].name.description } ?? true
        }
        switch event {
        case .session(let clocks): report.beginSession(utcShift: clocks?.utcNanoseconds(atBoot: 0))
        case .sample(let number, _, let stamp, let measurement) where isShown(number):
            report.add(measurement, of: number, resources[number].name, at: stamp)
        case .gap(let number, let gap, let cause) where isShown(number):
            report.add(gap, cause, of: number, resources[number].name, resources[number].kind)
        case .state(let number, let state, let stamp) where isShown(number):
            report.add(state, of: number, resources[number].name, resources[number].kind, at: stamp)
        default: break
        }
    }

    private static func name(_ path: String) -> String { path.split(separator: "/").last.map { String($0) } ?? path }
}
