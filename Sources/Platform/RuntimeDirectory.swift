internal import CLinux
internal import Glibc

/// The directory of the sockets and the locks.
///
/// It must be ours and writable by nobody else, or a stranger could put a socket or a link in our place.
public struct RuntimeDirectory: Sendable {
    /// Where it is, without a slash at the end.
    public let path: String

    /// Uses a directory, creating it (0755) if it is not there.
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
    /// Not where $TMPDIR says if that is too long a path for a socket in it.
    public static func temporary() throws(SystemError) -> Self {
        let wanted = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let parent = wanted.hasPrefix("/") && wanted.utf8.count < 60 ? wanted : "/tmp"
        var path = Array("\(parent)/sensorbroker-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { throw .current("mkdtemp in \(parent)") }
        return try Self(path: String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Removes it with the files in it. `unlink(2)`, `rmdir(2)`
    public func remove() {
        for name in Directory.names(in: path) { _ = unsafe unlink(self.path(of: name)) }
        _ = unsafe rmdir(path)
    }

    /// The path of something in the directory.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Makes a directory (0755) if it is not there; returns whether this process may create files in it.
    public static func provide(_ path: String) -> Bool {
        _ = create(path)
        return isWritable(path)
    }

    /// Whatever the umask: clients have to get through. `mkdir(2)`, `chmod(2)`
    private static func create(_ path: String) -> Bool {
        unsafe mkdir(path, 0o755) == 0 && chmod(path, 0o755) == 0
    }

    /// Whether a directory is there and this process may create files in it. `access(2)`
    public static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK | X_OK) == 0 }

    /// The id of a group, if the host knows it. `getgrnam(3)`
    public static func groupID(named name: String) -> UInt32? {
        guard let entry = unsafe getgrnam(name) else { return nil }
        return unsafe entry.pointee.gr_gid
    }
}
