/// What a device thread tells the loop, in order.
public enum DeviceEvent: Equatable, Sendable {
    /// One sample; those of one scan, each of another kind, share their number and time.
    case sample(Sample)
    /// Samples that were lost before they reached the daemon, of all kinds that the device was to yield.
    case gap(Gap)
    /// Samples of one kind that are missing from scans whose other kinds came.
    case missing(Gap, of: Kind)
    /// What the device is and can do; again whenever that changes.
    case profile(DeviceProfile)
    /// The device was opened: sample numbers begin at 0 again.
    case opened
    /// The driver was made anew, and so may be another device; what the former one held is gone.
    case replaced
    /// How the device is doing.
    case state(ResourceState)
    /// A try to use the device failed, for the reason given; the state may be the same as before.
    case failed(reason: String)
}
