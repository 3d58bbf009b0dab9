internal import Glibc
internal import Platform
internal import Programs

/// The files that the settings name.
enum Credential {
    /// The path of a file that a setting names, nil if it names none: a name without a slash is a credential of the unit, in
    /// whose directory the service manager put it. `systemd.exec(5)`, LoadCredential=
    static func path(
        _ name: String?, _ key: String, credentials: String? = EnvironmentVariable.value("CREDENTIALS_DIRECTORY")
    ) throws(Failure) -> String? {
        guard let name else { return nil }
        if name.hasPrefix("/") { return try readable(name, name, key) }
        guard let credentials else {
            throw Failure(
                .configuration,
                "[Server] \(key)=\(name): there are no credentials: add LoadCredential=\(name):/path/of/the/file to the unit "
                    + "(systemctl edit sensorbroker-mqtt), or write a whole path")
        }
        return try readable("\(credentials)/\(name)", name, key)
    }

    private static func readable(_ path: String, _ name: String, _ key: String) throws(Failure) -> String {
        guard unsafe access(path, R_OK) == 0 else {
            throw Failure(
                .configuration,
                "[Server] \(key)=\(name): \(SystemError.current("read \(path)")): make it a file that the program's user may read, "
                    + "or give it with LoadCredential=")
        }
        return path
    }
}
