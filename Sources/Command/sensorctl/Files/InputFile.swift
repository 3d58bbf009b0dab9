internal import Compression
internal import Formats
internal import Glibc
internal import Platform
internal import Programs

/// A file to read, or the standard input, written as `-`.
///
/// An input that cannot be read twice, such as a pipe, is copied to a temporary file without a name. A compressed one (zstd)
/// is decompressed while it is read.
final class InputFile {
    /// The longest input that is copied; temporary files may be in memory.
    private static let mostKept = 1 << 30
    private static let piece = 1 << 16

    let name: String
    private let descriptor: Descriptor
    /// Where its content begins.
    private let begin: Int
    /// The file's length when it was opened; a program may still be writing it.
    private let length: Int
    private let isCompressed: Bool

    /// Opens it. `open(2)`
    init(_ path: String) throws(Failure) {
        let name = path == "-" ? "the standard input" : path
        let file = Descriptor(
            owning: path == "-"
                ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY))
        guard file.number >= 0 else {
            let error = SystemError.current("open \(path)")
            let words = error.code == ENOENT ? "there is no file \(path)" : "cannot read a file: \(error)"
            throw Failure(.noInput, words)
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw Failure(.noInput, "cannot read a file: \(name) is a directory")
        }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        let content =
            isRegular
            ? file
            : try Self.kept(name) { () throws(Failure) in
                do throws(SystemError) { return try OtherProcess.next(file.number, Self.piece) } catch {
                    throw Failure(.noInput, "cannot read \(name): \(error)")
                }
            }
        begin = isRegular ? max(0, Int(lseek(content.number, 0, SEEK_CUR))) : 0
        length = Int(lseek(content.number, 0, SEEK_END)) - begin
        self.name = name
        // A file that cannot be read fails when it is read.
        isCompressed = ZstdDecompressor.isCompressed(content.bytes(at: begin, 4) ?? [])
        descriptor = content
    }

    /// A file that another program made; messages call it by this name.
    init(_ file: consuming Descriptor, named name: String) throws(Failure) {
        self.name = name
        begin = 0
        length = Int(lseek(file.number, 0, SEEK_END))
        isCompressed = false
        descriptor = file
    }

    /// Whether a text is in its first piece.
    func firstPieceContains(_ text: String) throws(Failure) -> Bool {
        do throws(FormatError) {
            let piece = try content { _ in }.begin()()
            return String(decoding: piece, as: UTF8.self).contains(text)
        } catch { throw Failure(.noInput, "cannot read \(name): \(error.words)") }
    }

    /// A copy of its content in a temporary file, for another program.
    func copy() throws(Failure) -> Descriptor {
        var pieces: FileContent.Pieces?
        return try Self.kept(name) { () throws(Failure) in
            try HeldSignals.check()
            do throws(FormatError) {
                if pieces == nil { pieces = try content { _ in }.begin() }
                return try pieces?() ?? []
            } catch { throw Failure(isCompressed ? .data : .noInput, "cannot read \(name): \(error.words)") }
        }
    }

    /// The file's content, to be read in pieces; each piece reports the percentage read so far.
    func content(_ progress: @escaping (Int64) throws(FormatError) -> Void) -> FileContent {
        FileContent { () throws(FormatError) in
            var position = 0
            let pieces: FileContent.Pieces = { () throws(FormatError) in
                let bytes = try self.bytes(at: position)
                position += bytes.count
                try progress(Int64(min(100, position * 100 / max(1, self.length))))
                return bytes
            }
            guard self.isCompressed else { return pieces }
            let decompressed = try DecompressedPieces(pieces)
            return { () throws(FormatError) in try decompressed.next() }
        }
    }

    private func bytes(at position: Int) throws(FormatError) -> [UInt8] {
        guard let bytes = descriptor.bytes(at: begin + position, Self.piece) else {
            throw FormatError("\(SystemError.current("read"))")
        }
        return bytes
    }

    /// A temporary file with all pieces until an empty one.
    private static func kept(_ name: String, _ next: () throws(Failure) -> [UInt8]) throws(Failure) -> Descriptor {
        var file = try TemporaryFile(toBuffer: name)
        var length = 0
        while true {
            let bytes = try next()
            if bytes.isEmpty { return file.release() }
            length += bytes.count
            guard length <= mostKept else {
                throw Failure(.data, "\(name) is longer than \(SizeText.text(bytes: Int64(mostKept)))")
            }
            try file.append(bytes, of: name)
        }
    }
}

/// A file in pieces, decompressed if it is compressed; little of it is in memory at a time.
private final class DecompressedPieces {
    private let compressed: FileContent.Pieces
    private var decompressor: ZstdDecompressor
    private var hasEnded = false

    init(_ compressed: @escaping FileContent.Pieces) throws(FormatError) {
        self.compressed = compressed
        do throws(ZstdError) { decompressor = try ZstdDecompressor() } catch { throw FormatError("\(error)") }
    }

    /// The next piece; an empty one is the end.
    func next() throws(FormatError) -> [UInt8] {
        while !hasEnded {
            do throws(ZstdError) {
                let piece = try decompressor.take()
                if !piece.isEmpty { return piece }
            } catch { throw FormatError("\(error)") }
            let more = try compressed()
            hasEnded = more.isEmpty
            if !hasEnded { decompressor.add(more) }
        }
        return []
    }
}
