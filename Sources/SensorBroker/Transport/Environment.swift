internal import Glibc

/// What of the environment matters here; a variable that is empty is as one that is not set.
struct Environment: Equatable {
    /// The value of `SENSORBROKER_TRANSPORT`.
    var transport: String?
    /// The value of `SENSORBROKER_SOCKET`.
    var socket: String?
    /// The value of `XDG_RUNTIME_DIR`.
    var userRuntimeDirectory: String?

    /// That of this process. `getenv(3)`
    static func current() -> Self {
        Self(
            transport: value("SENSORBROKER_TRANSPORT"), socket: value("SENSORBROKER_SOCKET"),
            userRuntimeDirectory: value("XDG_RUNTIME_DIR"))
    }

    private static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
