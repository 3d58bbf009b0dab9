internal import Glibc
public import Platform

/// Why a program fails, and what its user can do about it.
public struct Failure: Error, Equatable, CustomStringConvertible {
    /// The exit status.
    public let status: ExitStatus
    /// What happened and what to do next; nil if there is nothing to report.
    public let message: String?

    /// The message.
    public var description: String { message ?? "exit status \(status.rawValue)" }

    /// A failure with its exit status and its message.
    public init(_ status: ExitStatus, _ message: String?) {
        self.status = status
        self.message = message
    }

    /// The reader of the output has gone away, as with `| head`, which is no failure.
    public static let outputClosed = Failure(.done, nil)
}

extension Failure {
    /// A system call failed during the start.
    public init(_ error: SystemError) {
        switch error.code {
        case EACCES, EPERM, ELOOP: self.init(.notPermitted, error.description)
        case EEXIST, ENOTDIR, ENOENT, ENOSPC, EROFS, ENAMETOOLONG, EADDRINUSE:
            self.init(.cannotCreate, error.description)
        default: self.init(.system, error.description)
        }
    }

    /// Another process holds the lock, or the lock cannot be used.
    public init(_ failure: LockFailure, holding what: String) {
        switch failure {
        case .held, .taken: self.init(.unavailable, "\(what): \(failure)")
        case .system(let error): self.init(error)
        }
    }
}

/// An error of the command line.
public struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let description: String

    /// An error with its message.
    public init(_ description: String) { self.description = description }
}
