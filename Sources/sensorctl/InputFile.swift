internal import CLinux
internal import Formats
internal import Glibc
internal import Platform

/// A file to read, or the standard input, written as `-`.
///
/// An input that cannot be read twice, such as a pipe, is copied to a temporary file without a name.
struct InputFile: ~Copyable {
    /// The longest input that is copied; temporary files may be in memory.
    private static let mostKept = 1 << 30
    private static let piece = 1 << 16

    /// Its name in messages.
    let name: String
    private let descriptor: Descriptor
    /// Where its content begins.
    private let begin: Int64
    /// Its length when it was opened; a program may still be writing it.
    private let length: Int64

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
        let content = isRegular ? file : try Self.kept(file.number, name)
        let begin = isRegular ? max(0, Int64(lseek(content.number, 0, SEEK_CUR))) : 0
        length = Int64(lseek(content.number, 0, SEEK_END)) - begin
        self.begin = begin
        self.name = name
        descriptor = content
    }

    /// The whole content; throws if it is longer than `most`.
    func bytes(atMost most: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            do throws(FormatError) {
                let piece = try Self.read(descriptor.number, at: begin + Int64(bytes.count))
                if piece.isEmpty { return bytes }
                bytes += piece
            } catch { throw Failure(.noInput, "cannot read \(name): \(error.words)") }
            guard bytes.count <= most else {
                throw Failure(.data, "\(name) is longer than \(SizeText.text(bytes: Int64(most)))")
            }
        }
    }

    /// Its content, to be read in pieces as long as this file lives; each piece reports the percentage read so far.
    func content(_ progress: @escaping (Int64) throws(FormatError) -> Void) -> FileContent {
        let (number, begin, length) = (descriptor.number, begin, length)
        return FileContent {
            var position: Int64 = 0
            return { () throws(FormatError) in
                let piece = try Self.read(number, at: begin + position)
                position += Int64(piece.count)
                try progress(min(100, position * 100 / max(1, length)))
                return piece
            }
        }
    }

    private static func read(_ number: Int32, at offset: Int64) throws(FormatError) -> [UInt8] {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: piece) { buffer, count in
            while true {
                let result = unsafe pread(number, buffer.baseAddress, buffer.count, off_t(offset))
                count = max(0, result)
                if result >= 0 { return }
                guard errno == EINTR else { return failure = SystemError.current("read") }
            }
        }
        if let failure { throw FormatError("\(failure)") }
        return bytes
    }

    /// Copies everything that can be read into a file without a name. `open(2)` O_TMPFILE
    private static func kept(_ number: Int32, _ name: String) throws(Failure) -> Descriptor {
        let directory = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let file = Descriptor(owning: unsafe clinux_temporary_file(directory))
        guard file.number >= 0 else {
            throw Failure(.cannotCreate, "cannot buffer \(name): \(SystemError.current("make a file in \(directory)"))")
        }
        var bytes = [UInt8](repeating: 0, count: piece)
        var length = 0
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(number, $0.baseAddress, $0.count) }
            if count == 0 { return file }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure(.noInput, "cannot read \(name): \(SystemError.current("read"))") }
            length += count
            guard length <= mostKept else {
                throw Failure(.data, "\(name) is longer than \(SizeText.text(bytes: Int64(mostKept)))")
            }
            var rest = bytes[..<count]
            while !rest.isEmpty {
                let written = unsafe rest.withUnsafeBytes { unsafe write(file.number, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written >= 0 else {
                    let error = SystemError.current("write to \(directory)")
                    throw Failure(.inputOutput, "cannot buffer \(name): \(error); make room, or set TMPDIR")
                }
                rest = rest.dropFirst(written)
            }
        }
    }
}
