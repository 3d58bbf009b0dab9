internal import CLinux
internal import Glibc

/// Reads and replaces whole files, and reads directories.
public enum WholeFile {
    /// The bytes of a file; nil if it does not exist.
    ///
    /// Empty for /dev/null, since a file is often masked by a link to it. Never waits: a pipe is refused, and so is a
    /// file over the limit. `open(2)`, `read(2)`
    public static func read(_ path: String, maximumBytes: Int) throws(SystemError) -> [UInt8]? {
        let file = Descriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
        guard file.number >= 0 else {
            let error = SystemError.current("open \(path)")
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return nil
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw .current("stat \(path)") }
        if isNull(status) { return [] }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw SystemError("read \(path)", code: EISDIR)
        default: throw SystemError("read \(path)", code: EINVAL)
        }
        let size = min(maximumBytes, Int(clamping: status.st_size))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        // Files of the kernel have a size of 0.
        var piece = [UInt8](repeating: 0, count: min(1 << 16, max(1 << 12, size + 1)))
        while bytes.count <= maximumBytes {
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.read(file.number, $0.baseAddress, $0.count)
            }
            if count == 0 { return bytes }
            if count > 0 {
                bytes.append(contentsOf: piece[..<count])
            } else if errno != EINTR {
                throw .current("read \(path)")
            }
        }
        throw SystemError("read \(path)", code: EFBIG)
    }

    /// Replaces a file, or makes it, for this user alone, through another one: whoever reads finds the former bytes or these.
    /// `open(2)`, `write(2)`, `rename(2)`
    ///
    /// `settle` does what has to be done to the other file before it takes the place.
    public static func replace(
        _ path: String, through other: String, with bytes: [UInt8],
        settle: (_ number: Int32) throws(SystemError) -> Void = { _ in }
    ) throws(SystemError) {
        let file = Descriptor(
            owning: unsafe open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600))
        guard file.number >= 0 else { throw .current("open \(other)") }
        do throws(SystemError) {
            try file.write(bytes, "write \(other)")
            try settle(file.number)
            guard unsafe rename(other, path) == 0 else { throw .current("rename \(other)") }
        } catch {
            _ = unsafe unlink(other)
            throw error
        }
    }

    /// The names in a directory, unordered; none if it does not exist, or is a link to /dev/null. `readdir(3)`
    public static func names(in path: String) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(path) else {
            let error = SystemError.current("open \(path)")
            if error.code == ENOENT { return [] }
            var status = stat()
            guard error.code == ENOTDIR, unsafe stat(path, &status) != 0 || isNull(status) else { throw error }
            return []
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            unsafe names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    private static func isNull(_ status: stat) -> Bool {
        var null = stat()
        guard status.st_mode & S_IFMT == S_IFCHR, unsafe stat("/dev/null", &null) == 0 else { return false }
        return status.st_rdev == null.st_rdev
    }
}

/// Reads and writes files of a few lines, such as those of the kernel in /sys and /proc.
public enum SmallFile {
    /// The beginning of a file as text; nil if it cannot be read. `open(2)`, `read(2)`
    public static func text(at path: String, maximumBytes: Int = 4_096) -> String? {
        let file = Descriptor(owning: unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY))
        guard file.number >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: max(1, maximumBytes))
        var count = 0
        while count < bytes.count {
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(file.number, $0.baseAddress.map { unsafe $0 + count }, $0.count - count)
            }
            guard more >= 0 else { return nil }
            guard more > 0 else { break }
            count += more
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Replaces the text of a file that exists, in one call. `open(2)`, `write(2)`
    public static func write(_ text: String, to path: String) throws(SystemError) {
        let call = "write \(text) to \(path)"
        let file = Descriptor(owning: unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY))
        guard file.number >= 0 else { throw .current(call) }
        let bytes = Array(text.utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file.number, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw .current(call) }
        guard count == bytes.count else { throw SystemError(call, code: EIO) }
    }

    /// The target of a symbolic link that leads nowhere; nil if it is none. `stat(2)`
    public static func target(ofDanglingLink path: String) -> String? {
        var status = stat()
        guard unsafe stat(path, &status) != 0, errno == ENOENT else { return nil }
        return target(ofLink: path)
    }

    /// The target of a symbolic link; nil if it is none, or cannot be read. `readlink(2)`
    public static func target(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// The first line without its end; nil if the file cannot be read.
    public static func line(at path: String) -> String? {
        text(at: path).map { String($0.prefix { $0 != "\n" && $0 != "\0" }) }
    }
}
