/// A place that may say how a chip is mounted; the raw value is its name in configuration files.
public enum MountOrigin: String, CaseIterable, Sendable {
    /// The administrator.
    case configuration
    /// The property ACCEL_MOUNT_MATRIX of udev, which comes from its hardware database or from a rule.
    case udev
    /// The driver, for the device.
    case device = "mount_matrix"
    /// The driver, for the accelerometer among the device's channels.
    case channel = "in_accel_mount_matrix"
    /// The driver, for everything that the device measures.
    case input = "in_mount_matrix"

    /// Whether it speaks of accelerometers only.
    var isAboutAccelerometers: Bool { self == .configuration || self == .udev }

    /// For people.
    var words: String { self == .configuration ? "the configuration" : rawValue }
}
