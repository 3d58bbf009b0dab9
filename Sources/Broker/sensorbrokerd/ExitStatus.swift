internal import Glibc
internal import Platform

/// The exit status of the daemon; most numbers are those of sysexits.h.
struct ExitStatus: RawRepresentable, Equatable, Sendable {
    /// The number.
    let rawValue: Int32

    /// The daemon was stopped.
    static let done = Self(rawValue: 0)
    /// The command line is invalid.
    static let usage = Self(rawValue: 64)
    /// The recording cannot be replayed.
    static let data = Self(rawValue: 65)
    /// Another broker or program holds what this one needs.
    static let unavailable = Self(rawValue: 69)
    /// The system refused a resource.
    static let system = Self(rawValue: 71)
    /// A file or socket cannot be created.
    static let cannotCreate = Self(rawValue: 73)
    /// The output cannot be written.
    static let inputOutput = Self(rawValue: 74)
    /// Not allowed.
    static let notPermitted = Self(rawValue: 77)
    /// The configuration, or a scenario, cannot be used.
    static let configuration = Self(rawValue: 78)
    /// The command cannot be run, as in shells.
    static let notRunnable = Self(rawValue: 126)
    /// The command does not exist, as in shells.
    static let notFound = Self(rawValue: 127)
}

/// Why the daemon could not start.
struct StartFailure: Error, CustomStringConvertible {
    /// The exit status.
    let status: ExitStatus
    /// What happened and what to do about it.
    let description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    /// A system call failed during the start.
    init(_ error: SystemError) {
        switch error.code {
        case EACCES, EPERM, ELOOP: self.init(.notPermitted, error.description)
        case EEXIST, ENOTDIR, ENOENT, ENOSPC, EROFS, ENAMETOOLONG, EADDRINUSE:
            self.init(.cannotCreate, error.description)
        default: self.init(.system, error.description)
        }
    }

    /// Another process holds the lock, or the lock cannot be used.
    init(_ failure: LockFailure, holding what: String) {
        switch failure {
        case .held, .taken: self.init(.unavailable, "\(what): \(failure)")
        case .system(let error): self.init(error)
        }
    }
}
