internal import Glibc

/// The first steps of every program.
///
/// If descriptor 0, 1 or 2 is closed at the start, the next file that the program opens gets that number, and messages go
/// into a recording or a lock file. So closed descriptors are filled first.
///
/// As in GNU's programs, they are opened in the wrong direction: the input as /dev/null for writing, the outputs for
/// reading. A read or write still fails with EBADF, so lost output is reported, and a program that has nothing to write ends
/// as usual.
public enum Startup {
    /// Fills closed standard descriptors, and ignores SIGPIPE and SIGXFSZ, so that `write` reports a closed pipe or a file at
    /// its size limit as an error. `fcntl(2)`, `open(2)`, `signal(2)`
    public static func begin() {
        for number in STDIN_FILENO...STDERR_FILENO where isClosed(number) {
            let mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
            var filled = unsafe open("/dev/null", mode)
            // Without /dev: a directory can be neither read nor written.
            if filled < 0 { filled = unsafe open("/", O_RDONLY | O_DIRECTORY) }
            // `open` returns the lowest free number.
            assert(filled == number, "a standard descriptor stays closed")
        }
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    private static func isClosed(_ number: Int32) -> Bool { fcntl(number, F_GETFD) < 0 }
}

/// The identity of this process.
public enum ProcessIdentity {
    /// The process id. `getpid(2)`
    public static var processID: Int32 { getpid() }

    /// The effective user, read once. `geteuid(2)`
    public static let userID: UInt32 = geteuid()
}
