internal import CLinux
internal import Glibc

/// Exclusive ownership of a path: an flock on a file that is never unlinked. `flock(2)`
///
/// Unlinking at exit makes pid files and most lock files racy: two processes can then hold locks on two inodes of one
/// name. Of the usual methods, only the flock without unlinking had no overlap in a test with eight competing
/// processes. The lock lives as long as its value, and no longer than the process, however it ends.
public struct InstanceLock: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// Takes the lock at a path, creating the file (0600) if necessary.
    ///
    /// A holder that has just taken it may not have written its process id yet; with `givingTime` it is given time for
    /// that.
    public init(path: String, givingTime: Bool = true) throws(LockFailure) {
        let file = Descriptor(owning: unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
        guard file.number >= 0 else { throw .system(SystemError.current("open \(path)")) }
        guard Self.isRegularFile(file.number) else { throw .system(SystemError("\(path) is not a file", code: EINVAL)) }
        guard clinux_lock(file.number) == 0 else {
            let code = clinux_errno()
            guard code == EWOULDBLOCK else { throw .system(SystemError("flock \(path)", code: code)) }
            throw .held(path: path, processID: Self.holder(file.number, givingTime))
        }
        _ = clinux_sign_lock(file.number)
        DirectoryOwner.take(file.number, at: path)
        Self.leaveProcessID(file.number)
        descriptor = file
    }

    // A child has the file open too until it executes its program, and would keep what is only closed here.
    deinit { clinux_unlock(descriptor.number) }

    /// Whether the file at a path is still the locked one.
    ///
    /// If not, a second daemon could lock a new file. `fstat(2)`, `lstat(2)`
    public func isInPlace(at path: String) -> Bool {
        var (own, there) = (stat(), stat())
        guard unsafe fstat(descriptor.number, &own) == 0, unsafe lstat(path, &there) == 0 else { return false }
        return (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino)
    }

    /// Whether the lock at a path was held by a process that has ended; false if nobody ever held it. `flock(2)`
    ///
    /// An empty file may belong to a process that is just about to lock it. Only for lock files that no process locks again.
    static func isAbandoned(at path: String) -> Bool {
        let file = Descriptor(owning: unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
        var status = stat()
        guard file.number >= 0, isRegularFile(file.number), unsafe fstat(file.number, &status) == 0 else {
            return false
        }
        return status.st_size > 0 && clinux_lock(file.number) == 0
    }

    private static func isRegularFile(_ number: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// For people who look into the file; a failure does no harm.
    private static func leaveProcessID(_ number: Int32) {
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(number, 0)
        _ = unsafe pwrite(number, text, text.count, 0)
    }

    /// The kernel knows the owner of a record lock; the text in the file may be left by a dead process.
    private static func holder(_ number: Int32, _ givingTime: Bool) -> Int32? {
        for _ in 0..<(givingTime ? 20 : 1) {
            let id = clinux_lock_signer(number)
            if id > 0 { return id }
            if givingTime { usleep(1_000) }
        }
        return nil
    }
}

/// Why a lock could not be taken.
public enum LockFailure: Error, Equatable, CustomStringConvertible {
    /// Another process holds it; its id, if it wrote one.
    case held(path: String, processID: Int32?)
    /// Another process holds the name.
    case taken(name: String, by: LockHolder)
    /// The lock cannot be used.
    case system(SystemError)

    /// The reason in words.
    public var description: String {
        switch self {
        case .held(let path, let processID?): "pid \(processID) holds \(path)"
        case .held(let path, nil): "another process holds \(path)"
        // A process in another pid namespace has no id here.
        case .taken(let name, .peer(let peer)) where peer.processID > 0:
            "pid \(peer.processID) holds \(name) as user \(peer.userID)"
        case .taken(let name, .peer(let peer)):
            "a process of user \(peer.userID) in another container holds \(name)"
        case .taken(let name, .user(let userID)):
            "a process of user \(userID) holds \(name), and is flooded with connections (find it: ss -xlp)"
        case .taken(let name, .unknown):
            "a process that cannot be identified holds \(name), which may belong to anybody (find it: ss -xlp)"
        case .system(let error): error.description
        }
    }
}
