internal import Glibc
internal import Platform

/// The files that the settings name.
public enum Credential {
    /// The path of a file: a name without a slash is a credential of the unit. `systemd.exec(5)`, LoadCredential=
    public static func path(
        _ name: String, _ key: String, credentials: String? = Credential.directory
    ) throws(StartFailure) -> String {
        if name.hasPrefix("/") { return try readable(name, name, key) }
        guard let credentials else {
            throw StartFailure(
                78,
                "[Server] \(key)=\(name): there are no credentials: add LoadCredential=\(name):/path/of/the/file to the unit "
                    + "(systemctl edit sensorbroker-mqtt), or write a whole path")
        }
        return try readable("\(credentials)/\(name)", name, key)
    }

    /// Where the service manager put the unit's credentials; nil if it has none.
    public static var directory: String? {
        unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
    }

    private static func readable(_ path: String, _ name: String, _ key: String) throws(StartFailure) -> String {
        guard unsafe access(path, R_OK) == 0 else {
            throw StartFailure(
                78,
                "[Server] \(key)=\(name): \(SystemError.current("read \(path)")): make it a file that the program's user may read, "
                    + "or give it with LoadCredential=")
        }
        return path
    }
}

/// Why the program could not start.
public struct StartFailure: Error, CustomStringConvertible {
    /// The exit status, of sysexits.h.
    public let status: Int32
    /// What happened, and what to do about it.
    public let description: String

    /// A failure with its exit status and its words.
    public init(_ status: Int32, _ description: String) {
        self.status = status
        self.description = description
    }
}
