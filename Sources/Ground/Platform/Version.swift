/// The version of everything that is built from this package.
public enum Version {
    /// As `--version` prints it.
    public static let text = "0.1.0"
}
