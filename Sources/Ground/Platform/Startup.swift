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
    /// its size limit as an error; ends a program whose arguments cannot be read. `fcntl(2)`, `open(2)`, `signal(2)`
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
        if CommandLine.argc == 0 { endWithoutArguments() }
    }

    /// Prints why there are no arguments, which Swift reads from /proc.
    ///
    /// Without them a broker would serve real sensors in the place of mocks.
    private static func endWithoutArguments() -> Never {
        let words = "the arguments cannot be read, as /proc is not mounted: mount -t proc proc /proc\n"
        _ = unsafe words.utf8.withContiguousStorageIfAvailable { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
        _exit(64)
    }

    private static func isClosed(_ number: Int32) -> Bool { fcntl(number, F_GETFD) < 0 }
}

/// The identity of this process.
public enum ProcessIdentity {
    /// The process id. `getpid(2)`
    public static var processID: Int32 { getpid() }

    /// The directory of the program's file; nil without /proc. `readlink(2)`
    public static var programDirectory: String? {
        SmallFile.target(ofLink: "/proc/self/exe").map { String($0[..<($0.lastIndex(of: "/") ?? $0.endIndex)]) }
    }

    /// The effective user, read once. `geteuid(2)`
    public static let userID: UInt32 = geteuid()

    /// Whether that id may be another user's as well: in a user namespace, those who are not in it appear as one.
    /// `user_namespaces(7)`
    static let isAmbiguous =
        userID == strangers && SmallFile.line(at: "/proc/self/uid_map").map { !hasAllUsers($0) } ?? false

    /// The user as whom the kernel shows them, unless an administrator has chosen another. /proc/sys/kernel/overflowuid
    private static let strangers: UInt32 = 65_534

    /// Whether a namespace has all users under their own ids, by the first line of its map: it is that of the host.
    static func hasAllUsers(_ line: String) -> Bool {
        line.split(separator: " ").map(String.init) == ["0", "0", "\(UInt32.max)"]
    }
}
