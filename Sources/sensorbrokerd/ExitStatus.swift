/// How the daemon ends; the numbers are sysexits.h's.
enum ExitStatus: Int32, Sendable {
    /// Stopped as it was told to.
    case done = 0
    /// The command line cannot be understood.
    case usage = 64
    /// The recording cannot be played.
    case data = 65
    /// Another copy, or another program, has what this one needs.
    case unavailable = 69
    /// The system refused something that it should not refuse.
    case system = 71
    /// A file or socket cannot be created.
    case cannotCreate = 73
    /// Not allowed.
    case notPermitted = 77
    /// The configuration cannot be used.
    case configuration = 78
}
