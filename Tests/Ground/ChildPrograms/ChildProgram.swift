internal import CLinux
internal import Glibc

/// A program that a test runs; it is killed when this object goes.
///
/// Foundation's `Process` is not for tests with many open files: to find them, it copies a whole `dirent` from the end of what
/// `readdir` has read, and with 1,365 of them this process ends. `Platform.ChildProcess` ends its program with the thread that
/// started it, as a test's thread does.
public final class ChildProgram {
    /// The program could not be started.
    public struct Failure: Error {
        /// The cause, an errno.
        public let code: Int32
    }

    private let processID: Int32
    /// The exit status, or 128 plus the signal that ended it; nil while it runs.
    private var status: Int32?

    /// Starts a program from the PATH. `posix_spawnp(3)`
    ///
    /// It gets no other files than these, by their numbers here (nil: /dev/null), no blocked signal, and this process's
    /// environment, if no other is given.
    public init(
        _ words: [String], environment variables: [String: String]? = nil, input: Int32? = nil, output: Int32? = nil,
        errors: Int32? = 2
    ) throws {
        var files = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&files)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&files)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (place, number) in [input, output, errors].enumerated() {
            if let number {
                unsafe posix_spawn_file_actions_adddup2(&files, number, Int32(place))
            } else {
                unsafe posix_spawn_file_actions_addopen(&files, Int32(place), "/dev/null", O_RDWR, 0)
            }
        }
        unsafe clinux_spawn_closed(&files, 3)
        // The threads that run tests block all signals, and a library may ignore SIGPIPE.
        var (none, pipe) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigemptyset(&pipe)
        unsafe sigaddset(&pipe, SIGPIPE)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &pipe)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        let own = unsafe variables.map { unsafe $0.map { unsafe strdup("\($0)=\($1)") } + [nil] }
        defer { unsafe (arguments + (own ?? [])).forEach { unsafe free($0) } }
        var started: pid_t = 0
        let code =
            if let own = unsafe own {
                unsafe posix_spawnp(&started, words[0], &files, &attributes, arguments, own)
            } else {
                unsafe posix_spawnp(&started, words[0], &files, &attributes, arguments, environ)
            }
        guard code == 0 else { throw Failure(code: code) }
        processID = started
    }

    deinit {
        guard isRunning else { return }
        kill()
        waitUntilExit()
    }

    /// Whether it has not ended. `waitpid(2)`
    public var isRunning: Bool {
        reap(WNOHANG)
        return status == nil
    }

    /// Waits for its end; returns the exit status, or 128 plus the signal that ended it. `waitpid(2)`
    @discardableResult
    public func waitUntilExit() -> Int32 {
        while true {
            if let status { return status }
            reap(0)
        }
    }

    /// Sends SIGTERM, unless it has ended. `kill(2)`
    public func terminate() { signal(SIGTERM) }

    /// Sends SIGKILL, unless it has ended. `kill(2)`
    public func kill() { signal(SIGKILL) }

    /// Sends a signal, unless it has ended: its number may be another process's by now. `kill(2)`
    public func signal(_ number: Int32) { if isRunning { Glibc.kill(processID, number) } }

    private func reap(_ options: Int32) {
        guard status == nil else { return }
        var word: Int32 = 0
        let ended = unsafe waitpid(processID, &word, options)
        if ended == processID {
            status = word & 0x7f == 0 ? word >> 8 & 0xff : 128 + word & 0x7f
        } else if ended < 0, errno != EINTR {
            // Somebody else has waited for it.
            status = -1
        }
    }
}
