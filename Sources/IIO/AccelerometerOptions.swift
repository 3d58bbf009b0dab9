/// What an administrator may decide about accelerometers.
public struct AccelerometerOptions: Equatable, Sendable {
    /// Which of several is `accelerometer`: a serial number, `display`, a driver's name or the kernel's `iio:device1`;
    /// nil: the display's, else the first.
    public var chosen: String?

    /// Nothing decided.
    public init() {}
}
