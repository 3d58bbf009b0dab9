internal import Glibc
internal import Platform

/// Where the daemon keeps what outlives it: the directory of the calibrations.
enum StateDirectory {
    /// The directory of the system service.
    static let system = "/var/lib/sensorbroker"

    /// The given one; else the one that systemd has made for the service; else the service's, or without rights there the
    /// user's.
    ///
    /// A broker with sockets in a directory of its own has none unless it is given: it is an experiment.
    static func path(_ arguments: Arguments, isTemporary: Bool) -> String? {
        if let directory = arguments.stateDirectory { return directory }
        if let directory = EnvironmentVariable.value("STATE_DIRECTORY")?.split(separator: ":").first {
            return String(directory)
        }
        guard arguments.runtimeDirectory == nil, !isTemporary else { return nil }
        return geteuid() == 0 || RuntimeDirectory.isWritable(system) ? system : user
    }

    /// As the XDG specification demands, a variable that is empty or not an absolute path counts as not set.
    private static var user: String? {
        for (variable, below) in [("XDG_STATE_HOME", ""), ("HOME", "/.local/state")] {
            guard let directory = EnvironmentVariable.value(variable), directory.hasPrefix("/") else { continue }
            return "\(directory)\(below)/sensorbroker"
        }
        return nil
    }
}
