/// Where the readings of a broker come from.
///
/// Chosen at run time; programs that use them are the same.
public enum Transport: Equatable, Sendable {
    /// The daemon; at a path, or where it usually is.
    case daemon(socket: String?)
    /// A broker inside this process, with simulated devices.
    case mock
    /// A broker inside this process that plays what `sensorctl record` wrote to a file, round and round.
    case replay(file: String)
}
