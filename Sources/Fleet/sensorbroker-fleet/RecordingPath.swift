internal import BrokerClient
internal import Glibc
internal import Platform
internal import Programs

/// A recording as a file that is opened for each piece: a fleet has more hosts than a process may have open files.
///
/// Lines are appended as a whole; half a line of a program that was killed is cut off. A file that is no recording is left alone.
struct RecordingPath {
    let path: String

    private static let longestFirstLine = 1 << 16
    /// What is read of its end: the last message of each stream is in it.
    static let tailBytes = 1 << 20

    init(_ path: String) { self.path = path }

    /// How long the file is; 0 if there is none. `stat(2)`
    var length: Int {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The last lines and their offsets, as far as they are whole; none if there is no file.
    ///
    /// Refuses a file that is no recording, and cuts off half a line. `ftruncate(2)`
    func tail() throws(Failure) -> [(offset: Int, line: [UInt8])] {
        let file = Descriptor(owning: unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
        if file.number < 0, errno == ENOENT { return [] }
        var status = stat()
        guard file.number >= 0, unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(.cannotCreate, "cannot continue \(path): \(SystemError.words(for: errno))")
        }
        let length = Int(status.st_size)
        let head = file.bytes(at: 0, min(length, Self.longestFirstLine)) ?? []
        guard RecordingFormat.isBeginning(head) else {
            throw Failure(.cannotCreate, "\(path) is not a recording: move it away and start again")
        }
        let end = Self.endOfLines(file, length)
        if end < length { ftruncate(file.number, off_t(end)) }
        let start = max(0, end - Self.tailBytes)
        let bytes = file.bytes(at: start, end - start) ?? []
        let lines = bytes.split(separator: 10).map { (start + $0.startIndex, Array($0)) }
        return start > 0 ? Array(lines.dropFirst()) : lines
    }

    /// Where the last whole line of a file ends, however long what follows is.
    private static func endOfLines(_ file: borrowing Descriptor, _ length: Int) -> Int {
        var end = length
        while end > 0 {
            let start = max(0, end - tailBytes)
            if let last = file.bytes(at: start, end - start)?.lastIndex(of: 10) { return start + last + 1 }
            end = start
        }
        return 0
    }

    /// Writes a header in the place of one of the same length, if it is still there. `pwrite(2)`
    func replace(at offset: Int, _ header: [UInt8]) throws(Failure) {
        let file = Descriptor(owning: unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
        guard let former = file.bytes(at: offset, header.count), former.firstIndex(of: 10) == header.count - 1,
            former.starts(with: Array("{\"recording\":{".utf8))
        else { return }
        let count = unsafe header.withUnsafeBytes {
            unsafe pwrite(file.number, $0.baseAddress, $0.count, off_t(offset))
        }
        guard count == header.count else {
            throw Failure(.inputOutput, "cannot write \(path): \(SystemError.words(for: errno))")
        }
    }

    /// Appends lines, all of them or none. `write(2)`
    func append(_ lines: [UInt8]) throws(Failure) {
        guard !lines.isEmpty else { return }
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = Descriptor(owning: unsafe open(path, flags, 0o666))
        var status = stat()
        guard file.number >= 0, unsafe fstat(file.number, &status) == 0 else {
            throw Failure(.cannotCreate, "cannot write \(path): \(SystemError.words(for: errno))")
        }
        do throws(SystemError) { try file.write(lines) } catch {
            ftruncate(file.number, status.st_size)
            let words = SystemError.words(for: error.code)
            throw Failure(
                .inputOutput,
                "cannot write \(path): \(words). Make room and start it again: it goes on with what the hosts still keep"
            )
        }
    }

    /// Waits until it is on the disk. `fsync(2)`
    func sync() {
        let file = Descriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
        if file.number >= 0 { fsync(file.number) }
    }
}
