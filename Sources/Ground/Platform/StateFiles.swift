internal import CLinux
internal import Glibc

/// Small files that outlive the process: each is replaced as a whole, so that after a power cut it is the old one or the
/// new one.
public struct StateFiles: Sendable {
    /// The directory; made when the first file is written.
    public let directory: String

    /// The files in a directory.
    public init(in directory: String) { self.directory = directory }

    /// The path of a file.
    public func path(of name: String) -> String { "\(directory)/\(name)" }

    /// The names of all files, in order; none if there is no directory. `readdir(3)`
    public func names() throws(SystemError) -> [String] {
        try WholeFile.names(in: directory).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The bytes of a file: a regular one of this user's, and no link; nil if it does not exist. `open(2)`, `read(2)`
    public func read(_ name: String, maximumBytes: Int) throws(SystemError) -> [UInt8]? {
        let path = path(of: name)
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .current("stat \(path)") }
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError("read \(path)", code: EINVAL) }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw SystemError("\(path) belongs to user \(status.st_uid)", code: EACCES)
        }
        return try WholeFile.read(path, maximumBytes: maximumBytes)
    }

    /// Replaces a file, or makes it; returns when it is on the disk. `fsync(2)`
    public func replace(_ name: String, with bytes: [UInt8]) throws(SystemError) {
        try makeDirectory(directory)
        let next = path(of: ".\(name).new")
        try WholeFile.replace(path(of: name), through: next, with: bytes) { (number) throws(SystemError) in
            DirectoryOwner.take(number, at: next)
            guard fsync(number) == 0 else { throw .current("fsync \(next)") }
        }
        try sync()
    }

    /// Removes a file, if it is there; returns when it is gone from the disk. `unlink(2)`
    public func remove(_ name: String) throws(SystemError) {
        guard unsafe unlink(path(of: name)) == 0 || errno == ENOENT else { throw .current("unlink \(path(of: name))") }
        try sync()
    }

    /// Waits until the names in the directory are on the disk. `fsync(2)`
    private func sync() throws(SystemError) {
        let number = Descriptor(owning: unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        if number.number < 0, errno == ENOENT { return }
        guard number.number >= 0, fsync(number.number) == 0 else { throw .current("fsync \(directory)") }
    }

    /// Makes a directory for this user alone, with those above it. `mkdir(2)`
    private func makeDirectory(_ path: String) throws(SystemError) {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw .current("mkdir \(path)")
        }
        try makeDirectory(String(path[..<slash]))
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .current("mkdir \(path)") }
    }
}
