internal import Formats
internal import Glibc
internal import Platform
internal import Programs
internal import Readings
internal import Replay

/// The recording that a command reads: a file or, if there is none of that name, all files of a rotated recording in order.
///
/// Compressed files are decompressed while they are read. An incomplete last line of a file, which a killed recorder left, is
/// left out.
final class RecordingInput {
    /// The longest line; one line of a batch has some thousand samples.
    private static let longestLine = 64 << 20

    /// The recording's name in messages.
    let name: String
    private let files: [InputFile]
    /// Which of them is being read.
    private var present = 0
    /// How many of its files end with an incomplete line, as far as they were read.
    private var incompleteLines = 0

    init(_ path: String) throws(Failure) {
        let names = SeriesName(path)
        let parts = unsafe access(path, F_OK) == 0 || path == "-" ? [] : FormerFiles(names: names).all().map(\.name)
        let series = try Self.open(parts.sorted().map { names.directory + $0 })
        // The standard input can be opened only once.
        files = series.isEmpty ? [try InputFile(path)] : series
        name = series.isEmpty ? files[0].name : path
    }

    /// Opens the files of a series.
    ///
    /// All of them before one is read: a recorder may delete some meanwhile, and what is read twice must be the same.
    private static func open(_ paths: [String]) throws(Failure) -> [InputFile] {
        if !paths.isEmpty { DescriptorLimit.raise() }
        var files: [InputFile] = []
        for path in paths {
            do throws(Failure) { files.append(try InputFile(path)) } catch {
                // One that was deleted after it was found is none of them.
                guard unsafe access(path, F_OK) != 0 else { throw error }
            }
        }
        return files
    }

    /// Adds what half a last line left out, as far as it was read.
    func noteIncompleteLines(in notes: inout ConversionNotes) {
        notes.leaveOut("incomplete last line", "that a killed recorder leaves", count: incompleteLines)
    }

    var fileCount: Int { files.count }

    /// The name of the file that is being read, in messages.
    var presentName: String { files[present].name }

    /// Takes its lines in pieces that end with a line, with the percentage read so far; a signal that would end the program ends this.
    func each(_ take: ([UInt8], Int64) throws(Failure) -> Void) throws(Failure) {
        incompleteLines = 0
        for index in files.indices {
            present = index
            try eachOfPresent { (piece, percent) throws(Failure) in
                try HeldSignals.check()
                try take(piece, (Int64(index) * 100 + percent) / Int64(files.count))
            }
        }
    }

    private func eachOfPresent(_ take: ([UInt8], Int64) throws(Failure) -> Void) throws(Failure) {
        var percent: Int64 = 0
        let pieces = try read(files[present].content { percent = $0 }.begin)
        var rest: [UInt8] = []
        while true {
            let piece = try read(pieces)
            if piece.isEmpty { break }
            guard let end = piece.lastIndex(of: UInt8(ascii: "\n")) else {
                rest += piece
                guard rest.count <= Self.longestLine else {
                    throw unreadable("a line is longer than any recorder writes")
                }
                continue
            }
            let whole = rest + piece[...end]
            rest = Array(piece[(end + 1)...])
            try take(whole, percent)
        }
        if !rest.isEmpty { incompleteLines += 1 }
    }

    private func read<Value>(_ body: () throws(FormatError) -> Value) throws(Failure) -> Value {
        do throws(FormatError) { return try body() } catch { throw unreadable(error.words) }
    }

    private func unreadable(_ words: String) -> Failure { Failure(.data, "cannot read \(presentName): \(words)") }

    /// Reads it event by event, and shows the progress; `after` follows each piece of the file.
    ///
    /// Returns what was left out: samples of which nobody knows what they measure, and lines that are damaged, or no recorder wrote.
    @discardableResult
    func events(
        _ progress: Progress, _ take: (RecordingStream.Event, [RecordingStream.Resource]) throws(Failure) -> Void,
        after: () throws(Failure) -> Void = {}
    ) throws(Failure) -> ConversionNotes {
        var stream = RecordingStream()
        // Which file is being read, and the lines of those before.
        var (file, former) = (0, 0)
        var firstInvalid: String?
        // The instant in the session's header, or else that of its first event.
        var reference: Int64?
        var misdated = 0
        func isNear(_ event: RecordingStream.Event) -> Bool {
            if case .session(let clocks) = event { reference = clocks?.bootNanoseconds }
            guard let span = event.span else { return true }
            let near = reference ?? span.lowerBound
            reference = near
            let distance = max(near.subtractingSaturating(span.lowerBound), span.upperBound.subtractingSaturating(near))
            return distance < Recording.longestNanoseconds
        }
        func understand<Value>(_ body: () throws(RecordingError) -> Value) throws(Failure) -> Value {
            do throws(RecordingError) { return try body() } catch {
                throw Failure(.data, "\(presentName): \(error.without(lines: former))")
            }
        }
        try each { (piece, percent) throws(Failure) in
            if file != present {
                (file, former) = (present, stream.line)
                stream.beginFile()
            }
            try understand { () throws(RecordingError) in try stream.add(piece) }
            while let event = try understand({ () throws(RecordingError) in try stream.next() }) {
                if isNear(event) { try take(event, stream.resources) } else { misdated += 1 }
            }
            if firstInvalid == nil, case .line(let number, let words)? = stream.firstInvalid {
                firstInvalid = "line \(number - former) of \(presentName): \(words)"
            }
            try after()
            progress.show(percent)
        }
        var notes = ConversionNotes()
        notes.leaveOut(
            "reading", "of an unknown kind, or of another one than before under the same name",
            count: stream.unknownSamples)
        notes.leaveOut(
            "aligned sample", "that readings of another resource carry (--align-to)", count: stream.alignedSamples)
        // No session lasts so long: a time was damaged.
        notes.leaveOut("event", "years away from the rest", count: misdated)
        notes.leaveOut("line", "damaged by zeros, as after a power failure", count: stream.damagedLines)
        let place = firstInvalid.map { stream.invalidLines == 1 ? " (\($0))" : " (the first is \($0))" }
        notes.leaveOut("line", "that cannot be understood" + (place ?? ""), count: stream.invalidLines)
        return notes
    }
}

extension RecordingStream.Event {
    /// From its first instant to its last one, on the session's clock; nil if it has no time.
    fileprivate var span: ClosedRange<Int64>? {
        switch self {
        case .sample(_, _, let instant, _), .state(_, _, let instant?): instant...instant
        case .gap(_, let gap, _): gap.from.nanoseconds...gap.until.nanoseconds
        case .session, .state, .interval: nil
        }
    }
}
