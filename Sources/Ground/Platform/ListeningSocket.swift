internal import CLinux
internal import Glibc

/// A listening Unix stream socket at a path.
///
/// It removes the path when it is deinitialised, if the path is still its own.
public struct ListeningSocket: ~Copyable, Sendable {
    /// The result of `accept`.
    public enum Accepted: ~Copyable {
        /// A client connected.
        case client(UnixSocket)
        /// Nobody is waiting.
        case nobody
        /// The process or the host is out of descriptors or memory; the errno.
        case exhausted(Int32)
    }

    /// What exists at the path of a socket.
    public enum PathState: Sendable {
        /// The socket.
        case inPlace
        /// Nothing, so no client can connect.
        case vanished
        /// Another file.
        case replaced
    }

    private let descriptor: Descriptor
    /// The path it is bound to; nil if it is not known.
    public let path: String?
    /// How to bind it again; nil if the service manager bound it.
    private let own: (mode: UInt32, groupID: UInt32?, inode: UInt64)?

    /// Takes over a listening socket of the service manager, which may be blocking; its path is not removed. `fcntl(2)`
    public init(passed descriptor: consuming Descriptor) throws(SystemError) {
        guard clinux_set_nonblocking(descriptor.number) == 0 else { throw SystemError.current("fcntl") }
        path = Self.path(of: descriptor.number)
        self.descriptor = descriptor
        own = nil
    }

    /// Listens at a path, with the right mode before anybody can connect, and never with more rights. `bind(2)`
    ///
    /// The caller holds the instance lock: a socket left at the path is stale and is replaced. Anything else there is
    /// refused. The umask belongs to all threads and is left alone; the mode that it takes away is restored.
    public init(path: String, mode: UInt32, groupID: UInt32?) throws(SystemError) {
        try Self.removeStaleSocket(at: path)
        let socket = Descriptor(owning: clinux_stream_socket())
        guard socket.number >= 0 else { throw SystemError.current("socket") }
        guard fchmod(socket.number, mode) == 0 else { throw SystemError.current("fchmod \(path)") }
        guard unsafe clinux_bind_unix(socket.number, path) == 0 else { throw SystemError.current("bind \(path)") }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw Self.failure("lstat", path) }
        // Best effort: only root may give a file to a group that it is not in.
        if let groupID { _ = unsafe lchown(path, uid_t.max, groupID) }
        try Self.widen(path, from: status.st_mode & 0o777, to: mode)
        guard listen(socket.number, 1_024) == 0 else { throw Self.failure("listen", path) }
        descriptor = socket
        self.path = path
        own = (mode, groupID, UInt64(status.st_ino))
    }

    deinit {
        guard let path, own != nil, pathState == .inPlace else { return }
        unsafe unlink(path)
    }

    /// Whether this program bound it, not the service manager.
    public var isOwn: Bool { own != nil }

    /// What exists at its path now. `lstat(2)`
    ///
    /// The inode of a socket that the service manager bound is unknown; any socket at its path counts as the same.
    public var pathState: PathState {
        guard let path else { return .inPlace }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return errno == ENOENT ? .vanished : .inPlace }
        guard let own else { return status.st_mode & S_IFMT == S_IFSOCK ? .inPlace : .replaced }
        return UInt64(status.st_ino) == own.inode ? .inPlace : .replaced
    }

    /// A new socket with the same path and rights, to replace one whose path was removed.
    public func boundAnew() throws(SystemError) -> Self {
        guard let path, let own else { throw SystemError("bind a socket of the service manager again", code: EINVAL) }
        return try Self(path: path, mode: own.mode, groupID: own.groupID)
    }

    private static func path(of number: Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        let length = unsafe clinux_socket_path(number, &bytes, bytes.count)
        return length > 0
            ? String(decoding: bytes.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    /// The descriptor's number, for the event loop.
    public var number: Int32 { descriptor.number }

    /// Takes the next waiting client. `accept4(2)`
    public func accept() -> Accepted {
        let result = Syscalls.accept(descriptor.number)
        if result >= 0 { return .client(UnixSocket(Descriptor(owning: Int32(clamping: result)))) }
        switch Int32(clamping: -result) {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(Int32(clamping: -result))
        // Errors of one client; keep accepting.
        default: return .nobody
        }
    }

    /// Restores the mode that the umask took away; does not follow a link. `fchmodat(2)`
    ///
    /// From 2.39 on glibc asks with a call of Linux 6.6, and gives up where the filter of a container refuses that.
    private static func widen(_ path: String, from given: mode_t, to mode: mode_t) throws(SystemError) {
        if unsafe given == mode || fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0 { return }
        let file = Descriptor(owning: unsafe open(path, __O_PATH | O_NOFOLLOW | O_CLOEXEC))
        guard unsafe chmod("/proc/self/fd/\(file.number)", mode) == 0 else { throw failure("chmod", path) }
    }

    /// Removes the bound path, after a step after `bind` failed.
    private static func failure(_ call: String, _ path: String) -> SystemError {
        let error = SystemError.current("\(call) \(path)")
        unsafe unlink(path)
        return error
    }

    private static func removeStaleSocket(at path: String) throws(SystemError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError("refusing to replace \(path), which is not a socket", code: EEXIST)
        }
        guard unsafe unlink(path) == 0 else { throw SystemError.current("unlink \(path)") }
    }
}
