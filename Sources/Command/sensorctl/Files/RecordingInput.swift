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
    private let paths: [String]
    private let cut = CutLines()

    /// The recording at a path.
    init(_ path: String) throws(Failure) {
        let names = SeriesName(path)
        let series = unsafe access(path, F_OK) == 0 || path == "-" ? [] : FormerFiles(names: names).all().map(\.name)
        paths = series.isEmpty ? [path] : series.sorted().map { names.directory + $0 }
        // The first one now: its absence is an error of the command line. The standard input can be opened only once.
        files = [try OpenFile(paths[0])]
        name = series.isEmpty ? files[0].file.name : path
    }

    /// How many files it has.
    var fileCount: Int { paths.count }

    /// How many of its files end with an incomplete line, as far as they were read.
    var incompleteLines: Int { cut.count }

    /// The recording's lines, in pieces that end with a line; each piece reports the percentage read so far.
    func content(_ progress: @escaping (Int64) throws(FormatError) -> Void) -> FileContent {
        let (paths, first, cut) = (paths, files[0], cut)
        return FileContent { () throws(FormatError) in
            let lines = try SeriesLines(paths, first, cut, progress)
            return { () throws(FormatError) in try lines.next() }
        }
    }

    /// Takes its lines piece by piece, with the percentage read so far; a signal that would end the program ends this.
    func each(_ take: ([UInt8], Int64) throws(Failure) -> Void) throws(Failure) {
        var failure: Failure?
        do throws(FormatError) {
            var percent: Int64 = 0
            let pieces = try content { percent = $0 }.begin()
            while true {
                let piece = try pieces()
                if piece.isEmpty { return }
                do throws(Failure) {
                    try HeldSignals.check()
                    try take(piece, percent)
                } catch {
                    failure = error
                    throw FormatError("")
                }
            }
        } catch { throw failure ?? Failure(.data, "cannot read \(name): \(error.words)") }
    }

    /// Reads it event by event, and shows the progress; `after` follows each piece of the file.
    func events(
        _ stream: inout RecordingStream, _ progress: Progress,
        _ take: (RecordingStream.Event, [RecordingStream.Resource]) throws(Failure) -> Void,
        after: () throws(Failure) -> Void
    ) throws(Failure) {
        func understand<Value>(_ body: () throws(RecordingError) -> Value) throws(Failure) -> Value {
            do throws(RecordingError) { return try body() } catch { throw Failure(.data, "\(name): \(error)") }
        }
        try each { (piece, percent) throws(Failure) in
            try understand { () throws(RecordingError) in try stream.add(piece) }
            while let event = try understand({ () throws(RecordingError) in try stream.next() }) {
                try take(event, stream.resources)
            }
            try after()
            progress.show(percent)
        }
    }
}

/// A file that is opened when it is read, and stays open if it must.
private final class OpenFile {
    let file: InputFile
    init(_ path: String) throws(Failure) { file = try InputFile(path) }
}

/// How many incomplete lines were left out.
private final class CutLines {
    var count = 0
}

/// The lines of files that follow each other.
///
/// A class, since Swift 6.2 makes code that crashes of a closure that replaces a
/// captured closure, when it is optimized.
private final class SeriesLines {
    /// The longest line; one line of a batch has some thousand samples.
    private static let longestLine = 64 << 20

    private let paths: [String]
    private let progress: (Int64) throws(FormatError) -> Void
    private let cut: CutLines
    private var place = 0
    private var open: OpenFile
    private var pieces: FileContent.Pieces?
    private var rest: [UInt8] = []

    init(
        _ paths: [String], _ first: OpenFile, _ cut: CutLines,
        _ progress: @escaping (Int64) throws(FormatError) -> Void
    ) throws(FormatError) {
        (self.paths, open, self.progress, self.cut) = (paths, first, progress, cut)
        cut.count = 0
        pieces = try begin()
    }

    /// The next piece, which ends with a line; an empty one is the end.
    func next() throws(FormatError) -> [UInt8] {
        while let piece = try pieces?() {
            if piece.isEmpty {
                cut.count += rest.isEmpty ? 0 : 1
                rest = []
                place += 1
                guard place < paths.count else { break }
                do throws(Failure) { open = try OpenFile(paths[place]) } catch {
                    throw FormatError(error.message ?? "it cannot be read")
                }
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
        let (index, count, progress) = (Int64(place), Int64(paths.count), progress)
        return try open.file.content { percent throws(FormatError) in
            try progress((index * 100 + percent) / count)
        }.begin()
    }
}
