/// What a device is and can do, as its driver found it.
public struct DeviceProfile: Equatable, Sendable {
    /// The intervals at which it can run.
    public var offered: OfferedIntervals
    /// What it runs at now, read back from the device; unknown while closed or where the device does not say.
    public var intervalNanoseconds: Int64?
    /// Driver, device node, gpsd device: for people.
    public var description: String?
    /// True where a mock or a replay makes the samples.
    public var simulated: Bool
    /// Which kinds it yields, so that a resource of another kind is unavailable while this device is the one that is there.
    public var kinds = KindSet.all
    /// True where its samples were decimated to the interval before, as those of a recording: none of them is one too many,
    /// even if two are close together.
    public var isDecimated = false

    /// A profile; the interval is nil where it is not known.
    public init(offered: OfferedIntervals, intervalNanoseconds: Int64?, description: String?, simulated: Bool) {
        self.offered = offered
        self.intervalNanoseconds = intervalNanoseconds
        self.description = description
        self.simulated = simulated
    }
}
