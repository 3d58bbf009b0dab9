internal import CLinux
internal import Glibc

/// This program once more, as a child that is connected by a socket and ends with its parent.
///
/// It runs what the parent runs, even if the file has been replaced meanwhile, and gets nothing but the socket, as its
/// standard input, and standard error.
public final class ConfinedChild {
    private let processID: pid_t
    private var hasEnded = false
    private var signalOfEnd: Int32?

    /// How long an end that was forced may take.
    private static let patienceMilliseconds = 1_000

    private init(_ processID: pid_t) { self.processID = processID }

    deinit { _ = kill() }

    /// Starts the program with these words; the socket, which never blocks, is the caller's to close. `posix_spawn(3)`, `socketpair(2)`
    ///
    /// The child ends when the thread that started it ends, so that one must live as long as the process.
    public static func start(_ words: [String]) throws(SystemError) -> (child: ConfinedChild, socket: Int32) {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        guard unsafe clinux_stream_pair(&ours, &theirs) == 0 else { throw .current("socketpair") }
        let near = Descriptor(owning: ours)
        let far = Descriptor(owning: theirs)
        // If children that nobody waits for vanish by themselves, their ids may come to name others.
        signal(SIGCHLD, SIG_DFL)
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        unsafe posix_spawn_file_actions_adddup2(&files, far.number, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO)
        unsafe clinux_spawn_closed(&files, STDERR_FILENO + 1)
        // Its crash is nothing to be looked into: the program logs it.
        let environment = ChildProcess.environment + ["SWIFT_BACKTRACE=enable=no"]
        var processID: pid_t = 0
        let code = unsafe ChildProcess.withPointers(to: [CommandLine.arguments.first ?? ""] + words) { arguments in
            unsafe ChildProcess.withPointers(to: environment) { environment in
                unsafe posix_spawn(&processID, "/proc/self/exe", &files, nil, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemError("run /proc/self/exe", code: code) }
        _ = consume far
        return (ConfinedChild(processID), near.release())
    }

    /// Ends it, if it has not ended; the signal that ended it before, nil if there was none. `kill(2)`, `waitpid(2)`
    public func kill() -> Int32? {
        guard !hasEnded else { return signalOfEnd }
        hasEnded = true
        _ = Glibc.kill(processID, SIGKILL)
        for _ in 0..<Self.patienceMilliseconds {
            let number = clinux_ended_by(processID)
            if number >= 0 {
                signalOfEnd = number > 0 && number != SIGKILL ? number : nil
                break
            }
            usleep(1_000)
        }
        return signalOfEnd
    }

    /// Gives up what this process, a child, does not need; it ends with its parent, and may take so many more bytes.
    /// `prctl(2)`, `setrlimit(2)`
    ///
    /// It leaves no core, which would hold keys, writes no file, starts no process, and signals that ask a program to end
    /// are left to its parent.
    public static func confine(named name: String, moreBytes: Int) {
        unsafe clinux_name_thread(name)
        for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] { signal(number, SIG_IGN) }
        clinux_confine(Int64(clamping: (ProcessMemory.dataBytes() ?? 0) + moreBytes))
    }
}
