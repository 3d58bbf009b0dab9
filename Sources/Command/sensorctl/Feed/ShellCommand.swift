internal import Glibc
internal import Platform

/// A command that `/bin/sh` runs in a process group of its own, with its output as a pipe.
///
/// It is over when no process of the group is left: a shell may end before what it has started.
struct ShellCommand: ~Copyable {
    private let shell: OtherProcess
    /// The exit status of the shell, or 128 plus the number of the signal that ended it; nil while it runs.
    private(set) var status: Int32?

    /// Starts it, with nothing to read.
    init(_ command: String) throws(SystemError) {
        let nothing = Descriptor(owning: unsafe open("/dev/null", O_RDONLY | O_CLOEXEC))
        guard nothing.number >= 0 else { throw .current("open /dev/null") }
        shell = try OtherProcess(["/bin/sh", "-c", command], [nothing.number, nil, STDERR_FILENO], isGroup: true)
    }

    /// The descriptor of its output.
    var number: Int32 { shell.output.number }

    /// Asks all its processes to end. `kill(2)`
    func terminate() { kill(-shell.number, SIGTERM) }

    /// Ends all its processes. `kill(2)`
    func end() { kill(-shell.number, SIGKILL) }

    /// Whether no process of it is left. `kill(2)`
    mutating func isOver() -> Bool {
        status = status ?? shell.status(waits: false)
        return status != nil && kill(-shell.number, 0) != 0 && errno == ESRCH
    }
}
