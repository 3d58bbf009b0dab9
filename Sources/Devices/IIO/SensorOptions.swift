public import Devices
public import Readings

/// What an administrator may decide about sensors of Industrial I/O.
public struct SensorOptions: Equatable, Sendable {
    /// Their IIO context.
    public var address = IIOAddress.local
    /// Which of this host's sensors is `accelerometer`; nil: the display's, else the first.
    ///
    /// A serial number, `display`, a driver's name or `iio:device1`. Read at the start only.
    public var chosen: String?
    /// The mount matrix of accelerometers, and of everything else that their chips measure; nil: the system's.
    public var mountMatrix: MountMatrix?
    /// Where to look for the mount matrix, in this order; the first origin that has one counts.
    public var mountOrigins = MountOrigin.allCases

    /// What readings of a resource are multiplied by, channel by channel.
    public var scales: [ResourceName: SIMD4<Double>] = [:]
    /// What is added to them afterwards, in the unit of the kind.
    public var offsets: [ResourceName: SIMD4<Double>] = [:]

    /// Options that set at most the address.
    public init(address: IIOAddress = .local) { self.address = address }

    /// The calibration of a resource; nil if there is none.
    func calibration(of name: ResourceName) -> Calibration? {
        guard scales[name] != nil || offsets[name] != nil else { return nil }
        return Calibration(scale: scales[name] ?? .one, offset: offsets[name] ?? .zero)
    }
}

/// Who may decide how a chip is mounted; the raw value is its name in configuration files.
public enum MountOrigin: String, CaseIterable, Sendable {
    /// The administrator.
    case configuration
    /// The udev property ACCEL_MOUNT_MATRIX, which comes from its hardware database or from a rule.
    case udev
    /// The driver, for the device.
    case device = "mount_matrix"
    /// The driver, for one kind, among the device's channels.
    case channel = "in_accel_mount_matrix"
    /// The driver, for everything that the device measures.
    case input = "in_mount_matrix"

    /// For people.
    var words: String { self == .configuration ? "the configuration" : rawValue }
}
