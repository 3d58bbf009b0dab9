internal import CLinux
internal import Glibc
internal import Platform

/// A command that `/bin/sh` runs in a process group of its own, with its output as a pipe.
///
/// It is over when no process of the group is left: a shell may end before what it has started.
struct ShellCommand: ~Copyable {
    private let group: pid_t
    private let output: Descriptor
    /// The exit status of the shell, or 128 plus the number of the signal that ended it; nil while it runs.
    private(set) var status: Int32?

    /// Starts it, with nothing to read. `posix_spawn(3)`, `pipe2(2)`
    init(_ command: String) throws(SystemError) {
        var pipes: [Int32] = [-1, -1]
        guard unsafe pipe2(&pipes, O_CLOEXEC) == 0 else { throw .current("pipe2") }
        let near = Descriptor(owning: pipes[0])
        let far = Descriptor(owning: pipes[1])
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&files)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&files, far.number, STDOUT_FILENO)
        unsafe clinux_spawn_closed(&files, STDERR_FILENO + 1)
        // Signals that are held back here reach it, and it ends when nobody reads its output.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var usual = sigset_t()
        unsafe sigemptyset(&usual)
        unsafe sigaddset(&usual, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = ["sh", "-c", command]
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, "/bin/sh", &files, &attributes, arguments, environ)
        guard code == 0 else { throw SystemError("run /bin/sh", code: code) }
        _ = consume far
        self.init(group: process, output: near)
    }

    private init(group: pid_t, output: consuming Descriptor) {
        self.group = group
        self.output = output
    }

    /// The descriptor of its output.
    var number: Int32 { output.number }

    /// Asks all its processes to end. `kill(2)`
    func terminate() { kill(-group, SIGTERM) }

    /// Ends all its processes. `kill(2)`
    func end() { kill(-group, SIGKILL) }

    /// Whether no process of it is left. `waitpid(2)`, `kill(2)`
    mutating func isOver() -> Bool {
        if status == nil {
            var word: Int32 = 0
            guard unsafe waitpid(group, &word, WNOHANG) == group else { return false }
            let signal = word & 0x7f
            status = signal == 0 ? word >> 8 & 0xff : 128 + signal
        }
        return kill(-group, 0) != 0 && errno == ESRCH
    }
}
