/// How `sensorctl` ends; the numbers are those of sysexits(3).
enum ExitStatus: Int32 {
    /// It did what it was told to.
    case done = 0
    /// The command line is wrong.
    case usage = 64
    /// What was to be read is not what it should be.
    case data = 65
    /// A file that was to be read is not there, or cannot be read.
    case noInput = 66
    /// The broker or the resource is not there, or went away.
    case unavailable = 69
    /// A file cannot be made.
    case cannotCreate = 73
    /// A file, or the output, cannot be read or written to its end.
    case inputOutput = 74
    /// Nothing came in time.
    case timedOut = 75
    /// The user may not do this.
    case notPermitted = 77
    /// The broker's configuration cannot be used.
    case configuration = 78
}
