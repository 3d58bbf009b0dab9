internal import Glibc

/// What of the environment matters here; a variable that is empty is as one that is not set.
struct Environment {
    /// The value of `SENSORBROKER_SOCKET`.
    var socket: String?
    /// The value of `XDG_RUNTIME_DIR`.
    var runtimeDirectory: String?
    /// `NO_COLOR` is not set, and `TERM` is not `dumb`.
    var wantsColours = true

    /// That of this process. `getenv(3)`
    static func current() -> Self {
        Self(
            socket: value("SENSORBROKER_SOCKET"), runtimeDirectory: value("XDG_RUNTIME_DIR"),
            wantsColours: value("NO_COLOR") == nil && value("TERM") != "dumb")
    }

    private static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
