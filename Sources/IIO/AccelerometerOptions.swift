public import Devices

/// What an administrator may decide about accelerometers.
public struct AccelerometerOptions: Equatable, Sendable {
    /// Their IIO context.
    public var address = IIOAddress.local
    /// Which of several of this host is `accelerometer`; nil: the display's, else the first.
    ///
    /// A serial number, `display`, a driver's name or `iio:device1`. Heeded at the start only.
    public var chosen: String?
    /// What turns the chips' axes into the device's, in place of what the system says; nil: what the system says.
    public var mountMatrix: MountMatrix?
    /// Where the mount matrix is looked for, in this order; the first place that has one counts.
    public var mountOrigins = MountOrigin.allCases

    /// Only the address decided, if that.
    public init(address: IIOAddress = .local) { self.address = address }
}
