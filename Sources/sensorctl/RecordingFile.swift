internal import CLinux
internal import Glibc
internal import Platform
internal import Replay

/// The file of a recording.
///
/// Lines are appended as a whole, so that nothing is lost if the program is killed.
///
/// An incomplete last line of a killed recorder is cut off. A file that is not a recording is left alone. Two recorders
/// cannot write to one file.
struct RecordingFile: ~Copyable {
    private let descriptor: Descriptor
    private let path: String
    /// Its length.
    private(set) var bytes: Int64 = 0
    /// Whether it existed already.
    let isContinued: Bool

    /// The longest first line of a recording.
    private static let longestFirstLine = 1 << 16

    /// Opens a file, or makes one. `open(2)`, `flock(2)`
    init(_ path: String) throws(Failure) {
        let descriptor = Descriptor(
            owning: unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o666))
        guard descriptor.number >= 0 else {
            throw Failure(.cannotCreate, "cannot write a recording: \(SystemError.current("open \(path)"))")
        }
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                .cannotCreate, "\(path) is not a regular file; for a pipe there is: sensorctl watch --format json")
        }
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure(.cannotCreate, "another program is recording to \(path): name another file")
        }
        let length = try Self.wholeLength(descriptor.number, Int64(status.st_size), path)
        guard length == status.st_size || ftruncate(descriptor.number, off_t(length)) == 0 else {
            throw Failure(.inputOutput, "cannot remove an incomplete line: \(SystemError.current("truncate \(path)"))")
        }
        bytes = length
        isContinued = length > 0
        self.path = path
        self.descriptor = descriptor
    }

    /// Adds lines, all of them or none. `write(2)`
    mutating func append(_ lines: [UInt8]) throws(Failure) {
        var written = 0
        while written < lines.count {
            let count = unsafe lines[written...].withUnsafeBytes {
                unsafe Glibc.write(descriptor.number, $0.baseAddress, $0.count)
            }
            if count >= 0 { written += count } else if errno != EINTR { throw refusal(SystemError.current("write")) }
        }
        bytes += Int64(lines.count)
    }

    /// Waits until it is on the disk. `fdatasync(2)`
    func sync() { fdatasync(descriptor.number) }

    private func refusal(_ error: SystemError) -> Failure {
        // A recording may end in half a line, but a complete one is better.
        _ = ftruncate(descriptor.number, off_t(bytes))
        let remedy =
            switch error.code {
            case ENOSPC: "the disk is full: make room"
            case EDQUOT: "your quota is used up: make room"
            case EFBIG: "the file has reached the size limit (see ulimit -f, or the file system)"
            default: SystemError.words(for: error.code)
            }
        return Failure(
            .inputOutput,
            "cannot continue to write \(path): \(remedy). The \(SizeText.text(bytes: bytes)) written so far are intact")
    }

    /// The length without half a last line; throws if this is not a recording.
    private static func wholeLength(_ number: Int32, _ length: Int64, _ path: String) throws(Failure) -> Int64 {
        guard length > 0 else { return 0 }
        let head = read(number, at: 0, min(Int(clamping: length), longestFirstLine))
        guard RecordingFormat.isFirstLine(head.prefix { $0 != UInt8(ascii: "\n") }, isWhole: head.contains(10)) else {
            throw Failure(
                .cannotCreate, "\(path)exists and is not a recording: name another file, or move it away first")
        }
        var end = length
        while end > 0 {
            let start = max(0, end - Int64(longestFirstLine))
            let piece = read(number, at: start, Int(end - start))
            if let last = piece.lastIndex(of: UInt8(ascii: "\n")) { return start + Int64(last) + 1 }
            end = start
        }
        return 0
    }

    private static func read(_ number: Int32, at offset: Int64, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe bytes.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, off_t(offset)) }
        return Array(bytes[..<max(0, read)])
    }
}
