internal import CLinux
internal import Glibc

/// The directory of sockets and locks.
///
/// It must belong to this user and be writable by no other, since others could otherwise put sockets or links there.
public struct RuntimeDirectory: Sendable {
    /// Where it is, without a slash at the end.
    public let path: String

    /// Uses a directory, creating it (0755) if it does not exist.
    public init(path: String) throws(SystemError) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        if !Self.create(path), errno != EEXIST { throw SystemError.current("mkdir \(path)") }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw SystemError.current("lstat \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError("\(path)", code: ENOTDIR) }
        guard status.st_uid == geteuid() else {
            throw SystemError("\(path) belongs to user \(status.st_uid), not to this one (\(geteuid()))", code: EACCES)
        }
        guard status.st_mode & 0o022 == 0 else {
            throw SystemError("\(path) is writable by others; chmod go-w it", code: EACCES)
        }
        self.path = path
    }

    /// A new directory of this process alone, among the temporary files. `mkdtemp(3)`
    ///
    /// $TMPDIR is not used if its path is too long for a socket in it. Directories that killed brokers of the same user left
    /// behind are removed first: each has a lock of this name that nobody holds any more.
    public static func temporary(lockedBy lock: String) throws(SystemError) -> Self {
        let wanted = EnvironmentVariable.absolutePath("TMPDIR") ?? "/tmp"
        let parent = wanted.utf8.count < 60 ? wanted : "/tmp"
        removeAbandoned(in: parent, lockedBy: lock)
        var path = Array("\(parent)/\(temporaryPrefix)XXXXXX".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { throw .current("mkdtemp in \(parent)") }
        return try Self(path: String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Removes it with its sockets and locks, unless it contains anything else. `unlink(2)`, `rmdir(2)`
    public func remove() {
        for name in Directory.names(in: path) where name.hasPrefix("io.sensorbroker.") || name.hasSuffix(".lock") {
            _ = unsafe unlink(self.path(of: name))
        }
        _ = unsafe rmdir(path)
    }

    private static let temporaryPrefix = "sensorbroker-"

    private static func removeAbandoned(in parent: String, lockedBy lock: String) {
        let names = Directory.names(in: parent).filter { $0.hasPrefix(temporaryPrefix) }
        for name in names where name.utf8.count == temporaryPrefix.utf8.count + 6 {
            var status = stat()
            guard unsafe lstat("\(parent)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                let directory = try? Self(path: "\(parent)/\(name)"),
                InstanceLock.isAbandoned(at: directory.path(of: lock))
            else { continue }
            directory.remove()
        }
    }

    /// Keeps systemd-tmpfiles out of it as long as the result lives: it does not clean a directory that is locked. `flock(2)`
    ///
    /// Best effort: other cleaners ignore the lock.
    public func keepCleanersOut() -> Descriptor {
        let directory = Descriptor(owning: unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW))
        _ = clinux_lock_shared(directory.number)
        return directory
    }

    /// The path of a file in the directory.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Creates it with mode 0755 whatever the umask, since clients have to pass through it. `mkdir(2)`, `chmod(2)`
    private static func create(_ path: String) -> Bool {
        unsafe mkdir(path, 0o755) == 0 && chmod(path, 0o755) == 0
    }

    /// Whether the directory exists and this process may create files in it. `access(2)`
    public static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK | X_OK) == 0 }
}
