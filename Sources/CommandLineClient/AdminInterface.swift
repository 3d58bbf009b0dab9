/// The names of the administrator's interface, as far as they are used here.
enum AdminInterface {
    static let release = prefix + "Release"
    static let reacquire = prefix + "Reacquire"
    static let reload = prefix + "Reload"

    /// The qualified name of one of its errors.
    static func error(_ name: String) -> String { prefix + name }

    private static let prefix = "io.sensorbroker.Admin."
}
