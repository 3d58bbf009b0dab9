internal import Glibc
internal import Platform

/// Names of processes and users, which the broker cannot look up: its sandbox hides other processes.
struct AccountNames: Sendable {
    /// The name of a process; nil where it has ended.
    var process: @Sendable (Int64) -> String?
    /// The name of a user; nil where there is none.
    var user: @Sendable (Int64) -> String?

    /// Those of this host. `proc(5)`, `getpwuid(3)`
    static let host = Self(
        process: { SmallFile.line(at: "/proc/\($0)/comm") },
        user: { number in
            guard let id = uid_t(exactly: number), let entry = unsafe getpwuid(id) else { return nil }
            return unsafe String(cString: entry.pointee.pw_name)
        })
}
