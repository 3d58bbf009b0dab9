/// Readings that should have come and did not: loss is never silent.
public struct Gap: Equatable, Sendable {
    /// Why readings are missing.
    public enum Cause: Equatable, Sendable {
        /// This process took them from its socket too slowly.
        case slowClient
        /// The device's own buffer ran over.
        case deviceOverflow
        /// The device went away or failed.
        case deviceLost
        /// The device was set to another interval, or its configuration changed.
        case reconfigured
        /// The broker was restarted, or it crashed and was started again; the stream continued.
        case restarted
        /// An administrator gave the device up.
        case released
        /// The broker was away; the subscription has been renewed since.
        case disconnected
        /// Whoever iterates, or the delegate, took them too slowly: the oldest were dropped for the newest.
        case slowConsumer
        /// A cause that is newer than this library, by its name.
        case other(String)
    }

    /// Of which resource.
    public var resource: ResourceName
    /// Why they are missing.
    public var cause: Cause
    /// How many, where it is known.
    public var count: Int?
    /// The first instant that is not covered.
    public var from: BootTime
    /// The last instant that is not covered.
    public var until: BootTime

    /// A gap of a cause over a span of time.
    public init(resource: ResourceName, cause: Cause, count: Int?, from: BootTime, until: BootTime) {
        self.resource = resource
        self.cause = cause
        self.count = count
        self.from = from
        self.until = until
    }
}
