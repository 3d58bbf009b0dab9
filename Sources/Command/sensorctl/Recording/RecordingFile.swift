internal import BrokerClient
internal import CLinux
internal import Compression
internal import Glibc
internal import Platform
internal import Programs

/// The file of a recording.
///
/// Lines are appended as a whole, so that nothing is lost if the program is killed; a file whose name ends in `.zst` is
/// compressed, and then `flush` completes what can be read from it.
///
/// An incomplete last line of a killed recorder is cut off. A file that is not a recording is left alone. Two recorders
/// cannot write to one file.
struct RecordingFile: ~Copyable {
    private let descriptor: Descriptor
    private let path: String
    /// Nil: the lines are written as they are.
    private var compressor: ZstdCompressor?
    /// The file's length.
    private(set) var bytes: Int64 = 0
    /// The length of the lines that the compressor holds back.
    private(set) var heldBytes: Int64 = 0
    /// Whether the file existed already.
    let isContinued: Bool

    private static let longestFirstLine = 1 << 16

    /// Opens a file, or makes one; `isNew` makes one, and fails if there is one of that name. `open(2)`, `flock(2)`
    init(_ path: String, isNew: Bool = false) throws(Failure) {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (isNew ? O_EXCL : 0)
        let descriptor = Descriptor(owning: unsafe open(path, flags, 0o666))
        guard descriptor.number >= 0 else {
            let error = SystemError.current("open \(path)")
            throw Self.hasNoRoom(error.code)
                ? Self.noRoom(error, path, 0) : Failure(.cannotCreate, "cannot write a recording: \(error)")
        }
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(
                .cannotCreate, "\(path) is not a regular file; for a pipe there is: sensorctl watch --format json")
        }
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure(.cannotCreate, "another program is recording to \(path): name another file")
        }
        var compressor: ZstdCompressor?
        if path.hasSuffix(".zst") {
            guard status.st_size == 0 else {
                throw Failure(
                    .cannotCreate,
                    "\(path) exists already, and a compressed recording is not continued: name another file, or add "
                        + "--rotate 1h, with which each file has a name of its own")
            }
            do throws(ZstdError) { compressor = try ZstdCompressor() } catch {
                throw Failure(.cannotCreate, "cannot compress: \(error)")
            }
        }
        let length = try Self.wholeLength(descriptor, Int64(status.st_size), path)
        guard length == status.st_size || ftruncate(descriptor.number, off_t(length)) == 0 else {
            throw Failure(.inputOutput, "cannot remove an incomplete line: \(SystemError.current("truncate \(path)"))")
        }
        self.init(descriptor, path, compressor, length)
    }

    private init(
        _ descriptor: consuming Descriptor, _ path: String, _ compressor: consuming ZstdCompressor?, _ bytes: Int64
    ) {
        self.descriptor = descriptor
        self.path = path
        self.compressor = compressor
        self.bytes = bytes
        isContinued = bytes > 0
    }

    /// Adds lines, all of them or none.
    mutating func append(_ lines: [UInt8]) throws(Failure) {
        guard compressor != nil else { return try write(lines) }
        assert(lines.isEmpty || lines.last == UInt8(ascii: "\n"), "Lines are added as a whole.")
        heldBytes += Int64(lines.count)
        try compress(lines, .more)
    }

    /// Completes what has been added, so that it can be read even if the program is killed now.
    mutating func flush() throws(Failure) {
        guard heldBytes > 0 else { return }
        try compress([], .flush)
        heldBytes = 0
    }

    mutating func finish() throws(Failure) {
        assert(compressor != nil || heldBytes == 0)
        guard compressor != nil else { return }
        try compress([], .frame)
        heldBytes = 0
        compressor = nil
    }

    /// Waits until it is on the disk. `fdatasync(2)`
    func sync() { fdatasync(descriptor.number) }

    /// A further descriptor of it, for a thread that waits until it is on the disk. `dup(2)`
    func duplicate() -> Descriptor { Descriptor(owning: fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3)) }

    private mutating func compress(_ lines: [UInt8], _ ending: ZstdCompressor.Ending) throws(Failure) {
        let bytes: [UInt8]
        do throws(ZstdError) { bytes = try compressor?.add(lines, ending) ?? [] } catch {
            throw Failure(.inputOutput, "cannot compress \(path): \(error)")
        }
        try write(bytes)
    }

    /// Writes bytes, all of them or none. `write(2)`
    private mutating func write(_ bytes: [UInt8]) throws(Failure) {
        do throws(SystemError) { try descriptor.write(bytes) } catch { throw refusal(error) }
        self.bytes += Int64(bytes.count)
    }

    private func refusal(_ error: SystemError) -> Failure {
        // A recording may end in half a line, but a complete one is better.
        _ = ftruncate(descriptor.number, off_t(bytes))
        return Self.noRoom(error, path, bytes)
    }

    /// Whether an error is the disk's, so that writing may succeed later.
    private static func hasNoRoom(_ code: Int32) -> Bool { [ENOSPC, EDQUOT].contains(code) }

    private static func noRoom(_ error: SystemError, _ path: String, _ bytes: Int64) -> Failure {
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
    private static func wholeLength(
        _ file: borrowing Descriptor, _ length: Int64, _ path: String
    ) throws(Failure) -> Int64 {
        guard length > 0 else { return 0 }
        let head = file.bytes(at: 0, min(Int(clamping: length), longestFirstLine)) ?? []
        guard RecordingFormat.isBeginning(head) else {
            throw Failure(
                .cannotCreate, "\(path) exists and is not a recording: name another file, or move it away first")
        }
        var end = length
        while end > 0 {
            let start = max(0, end - Int64(longestFirstLine))
            let piece = file.bytes(at: Int(start), Int(end - start)) ?? []
            if let last = piece.lastIndex(of: UInt8(ascii: "\n")) { return start + Int64(last) + 1 }
            end = start
        }
        return 0
    }
}
