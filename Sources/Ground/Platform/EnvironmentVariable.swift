internal import Glibc

/// The environment of this process.
public enum EnvironmentVariable {
    /// The value of a variable; nil if it is not set, or empty. `getenv(3)`
    public static func value(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
