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
        if let directory = EnvironmentVariable.firstDirectory("STATE_DIRECTORY") { return directory }
        guard arguments.runtimeDirectory == nil, !isTemporary else { return nil }
        return geteuid() == 0 || RuntimeDirectory.isWritable(system) ? system : user
    }

    private static var user: String? {
        let directory =
            EnvironmentVariable.absolutePath("XDG_STATE_HOME")
            ?? EnvironmentVariable.absolutePath("HOME").map { $0 + "/.local/state" }
        return directory.map { $0 + "/sensorbroker" }
    }
}
