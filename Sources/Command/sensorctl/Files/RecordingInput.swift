internal import Formats
internal import Glibc
internal import Platform
internal import Programs
internal import Replay

/// The recording that a command reads: a file or, if there is none of that name, all files of a rotated recording in order.
///
/// Compressed files are decompressed while they are read. An incomplete last line of a file, which a killed recorder left, is
/// left out.
struct RecordingInput {
    /// The recording's name in messages.
    let name: String
    private let files: [OpenFile]
    private let position = SeriesPosition()

    /// The recording at a path.
    init(_ path: String) throws(Failure) {
        let names = SeriesName(path)
        let parts = unsafe access(path, F_OK) == 0 || path == "-" ? [] : FormerFiles(names: names).all().map(\.name)
        let series = try Self.open(parts.sorted().map { names.directory + $0 })
        // The standard input can be opened only once.
        files = series.isEmpty ? [try OpenFile(path)] : series
        name = series.isEmpty ? files[0].file.name : path
    }

    /// Opens the files of a series.
    ///
    /// All of them before one is read: a recorder may delete some meanwhile, and what is read twice must be the same.
    private static func open(_ paths: [String]) throws(Failure) -> [OpenFile] {
        if !paths.isEmpty { DescriptorLimit.raise() }
        var files: [OpenFile] = []
        for path in paths {
            do throws(Failure) { files.append(try OpenFile(path)) } catch {
                // One that was deleted after it was found is none of them.
                guard unsafe access(path, F_OK) != 0 else { throw error }
            }
        }
        return files
    }

    /// How many files it has.
    var fileCount: Int { files.count }

    /// The name of the file that is being read, in messages.
    var presentName: String { files[position.file].file.name }

    /// How many of its files end with an incomplete line, as far as they were read.
    var incompleteLines: Int { position.cutLines }

    /// The recording's lines, in pieces that end with a line; each piece reports the percentage read so far.
    func content(_ progress: @escaping (Int64) throws(FormatError) -> Void) -> FileContent {
        let (files, position) = (files, position)
        return FileContent { () throws(FormatError) in
            let lines = try SeriesLines(files, position, progress)
            return { () throws(FormatError) in try lines.next() }
        }
    }

    /// Takes its lines piece by piece, with the percentage read so far; a signal that would end the program ends this.
    func each(_ take: ([UInt8], Int64) throws(Failure) -> Void) throws(Failure) {
        let kept = KeptFailure()
        do throws(FormatError) {
            var percent: Int64 = 0
            let pieces = try content { percent = $0 }.begin()
            while true {
                let piece = try pieces()
                if piece.isEmpty { return }
                try kept.keep { () throws(Failure) in
                    try HeldSignals.check()
                    try take(piece, percent)
                }
            }
        } catch { throw kept.failure ?? Failure(.data, "cannot read \(presentName): \(error.words)") }
    }

    /// Reads it event by event, and shows the progress; `after` follows each piece of the file.
    func events(
        _ stream: inout RecordingStream, _ progress: Progress,
        _ take: (RecordingStream.Event, [RecordingStream.Resource]) throws(Failure) -> Void,
        after: () throws(Failure) -> Void
    ) throws(Failure) {
        // Which file is being read, and the lines of those before.
        var (file, former) = (0, stream.line)
        func understand<Value>(_ body: () throws(RecordingError) -> Value) throws(Failure) -> Value {
            do throws(RecordingError) { return try body() } catch {
                throw Failure(.data, "\(presentName): \(error.without(lines: former))")
            }
        }
        try each { (piece, percent) throws(Failure) in
            if file != position.file { (file, former) = (position.file, stream.line) }
            try understand { () throws(RecordingError) in try stream.add(piece) }
            while let event = try understand({ () throws(RecordingError) in try stream.next() }) {
                try take(event, stream.resources)
            }
            try after()
            progress.show(percent)
        }
    }
}

/// A file that stays open.
private final class OpenFile {
    let file: InputFile
    init(_ path: String) throws(Failure) { file = try InputFile(path) }
}

/// How far a series was read.
private final class SeriesPosition {
    /// Which file the latest piece is of.
    var file = 0
    /// How many incomplete lines were left out.
    var cutLines = 0
}

/// The lines of files that follow each other.
///
/// A class, since Swift 6.2 makes code that crashes of a closure that replaces a
/// captured closure, when it is optimized.
private final class SeriesLines {
    /// The longest line; one line of a batch has some thousand samples.
    private static let longestLine = 64 << 20

    private let files: [OpenFile]
    private let progress: (Int64) throws(FormatError) -> Void
    private let position: SeriesPosition
    private var pieces: FileContent.Pieces?
    private var rest: [UInt8] = []

    init(
        _ files: [OpenFile], _ position: SeriesPosition, _ progress: @escaping (Int64) throws(FormatError) -> Void
    ) throws(FormatError) {
        (self.files, self.position, self.progress) = (files, position, progress)
        (position.file, position.cutLines) = (0, 0)
        pieces = try begin()
    }

    /// The next piece, which ends with a line; an empty one is the end.
    func next() throws(FormatError) -> [UInt8] {
        while let piece = try pieces?() {
            if piece.isEmpty {
                position.cutLines += rest.isEmpty ? 0 : 1
                rest = []
                guard position.file + 1 < files.count else { break }
                position.file += 1
                pieces = try begin()
            } else if let end = piece.lastIndex(of: UInt8(ascii: "\n")) {
                let whole = rest + piece[...end]
                rest = Array(piece[(end + 1)...])
                return whole
            } else {
                rest += piece
                guard rest.count <= Self.longestLine else {
                    throw FormatError("a line is longer than any recorder writes")
                }
            }
        }
        pieces = nil
        return []
    }

    private func begin() throws(FormatError) -> FileContent.Pieces {
        let (index, count, progress) = (Int64(position.file), Int64(files.count), progress)
        return try files[position.file].file.content { percent throws(FormatError) in
            try progress((index * 100 + percent) / count)
        }.begin()
    }
}

/// An error of another kind than the format's: readers throw only those, so it is kept until they have ended.
final class KeptFailure {
    private(set) var failure: Failure?

    func keep<Result: ~Copyable>(_ body: () throws(Failure) -> Result) throws(FormatError) -> Result {
        do throws(Failure) { return try body() } catch {
            failure = error
            throw FormatError("")
        }
    }
}
