internal import Glibc
internal import Platform

/// Why the daemon did not start.
struct StartFailure: Error, CustomStringConvertible {
    /// How the process ends.
    let status: ExitStatus
    /// What happened and what to do about it.
    let description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    /// A system call failed on the way up.
    init(_ error: SystemError) {
        switch error.code {
        case EACCES, EPERM, ELOOP: self.init(.notPermitted, error.description)
        case EEXIST, ENOTDIR, ENOENT, ENOSPC, EROFS, ENAMETOOLONG, EADDRINUSE:
            self.init(.cannotCreate, error.description)
        default: self.init(.system, error.description)
        }
    }

    /// Another process holds the lock, or it cannot be used.
    init(_ failure: LockFailure, holding what: String) {
        switch failure {
        case .held, .taken: self.init(.unavailable, "\(what): \(failure)")
        case .system(let error): self.init(error)
        }
    }
}
