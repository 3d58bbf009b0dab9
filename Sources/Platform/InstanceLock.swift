internal import CLinux
internal import Glibc

/// The right to be the only one: an flock on a file that is never unlinked. `flock(2)`
///
/// Unlinking at exit is what makes pid files and most lock files racy: two processes can then hold locks on two inodes
/// of one name. Of the usual methods only the flock without unlinking had no overlap in a contest of eight processes.
/// The lock lives exactly as long as the process, however it ends.
public struct InstanceLock: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// Takes the lock at a path, creating the file (0600) if need be.
    ///
    /// A holder that has just got it may not have left its process id yet: it is given time for that, if so wanted.
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
        Self.leaveToOwner(of: path, file.number)
        Self.leaveProcessID(file.number)
        descriptor = file
    }

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

    /// What root locks in the directory of the daemon's user must be that user's: it is never unlinked, and a file of
    /// root's would keep the service out until the host is started anew. `fchown(2)`
    private static func leaveToOwner(of path: String, _ number: Int32) {
        guard geteuid() == 0 else { return }
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { String(path[...$0]) } ?? "."
        var status = stat()
        guard unsafe stat(directory, &status) == 0, status.st_uid != 0 else { return }
        let (user, group) = (status.st_uid, status.st_gid)
        // A file with a second name is not ours to give away.
        guard unsafe fstat(number, &status) == 0, status.st_nlink == 1 else { return }
        _ = fchown(number, user, group)
    }

    /// For people who look into the file; a failure costs only that.
    private static func leaveProcessID(_ number: Int32) {
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(number, 0)
        _ = unsafe pwrite(number, text, text.count, 0)
    }

    /// The kernel knows whose record lock it is, unlike what a dead process may have left in the file.
    private static func holder(_ number: Int32, _ givingTime: Bool) -> Int32? {
        for _ in 0..<(givingTime ? 20 : 1) {
            let id = clinux_lock_signer(number)
            if id > 0 { return id }
            if givingTime { usleep(1_000) }
        }
        return nil
    }
}
