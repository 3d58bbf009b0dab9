/// What the broker made of a request: moved into what the device can do, never refused for being out of range.
public struct Grant: Equatable, Sendable {
    /// Of which resource.
    public var resource: ResourceName
    /// One reading an interval; zero: every sample that the device makes.
    public var interval: Duration
    /// How long readings may be gathered before they are sent together.
    public var batch: Duration
    /// What the device itself runs at for everyone; nil where it is not known.
    public var deviceInterval: Duration?

    /// A grant of an interval.
    public init(
        resource: ResourceName, interval: Duration, batch: Duration = .zero, deviceInterval: Duration? = nil
    ) {
        self.resource = resource
        self.interval = interval
        self.batch = batch
        self.deviceInterval = deviceInterval
    }
}
