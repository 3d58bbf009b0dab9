internal import Glibc

/// The environment of this process.
public enum EnvironmentVariable {
    /// The value of a variable; nil if it is not set, or empty. `getenv(3)`
    public static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The directory in a variable of the XDG specification, or another absolute path; nil if the value is none, as the
    /// specification demands.
    public static func absolutePath(_ name: String) -> String? { value(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// The first of the directories that systemd has made for a service, such as those in `STATE_DIRECTORY`.
    public static func firstDirectory(_ name: String) -> String? {
        value(name)?.split(separator: ":").first.map(String.init)
    }
}
