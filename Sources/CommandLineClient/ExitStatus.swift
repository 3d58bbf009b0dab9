/// How `sensorctl` ends; the numbers are those of sysexits(3).
enum ExitStatus: Int32 {
    /// It did what it was told to.
    case done = 0
    /// The command line is wrong.
    case usage = 64
    /// The broker or the resource is not there, or went away.
    case unavailable = 69
    /// Nothing came in time.
    case timedOut = 75
    /// The user may not do this.
    case notPermitted = 77
    /// The broker's configuration cannot be used.
    case configuration = 78
}
