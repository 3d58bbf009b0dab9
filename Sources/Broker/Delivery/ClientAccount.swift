public import Readings

/// What a client has received of a resource and what is still to be reported to it: all that is needed to continue elsewhere.
public struct ClientAccount: Equatable, Sendable {
    /// When the client joined.
    public var since: BootTime
    /// Outages that began before this are no loss to the client, because it joined during them; nil: every outage is a loss.
    public var outagesFrom: BootTime?
    /// Readings handed to its socket.
    public var delivered: Int
    /// Readings that were due to it and that it did not get.
    public var losses: Losses
    /// The losses that are still to be reported to it: one gap for each cause.
    public var pendingGaps: [Gap]
    /// When the client's next reading is due; nil: at once, or nobody knows.
    public var nextDue: BootTime?

    /// The account of a client that joined at an instant.
    public init(
        since: BootTime, outagesFrom: BootTime? = nil, delivered: Int = 0, losses: Losses = Losses(),
        pendingGaps: [Gap] = [],
        nextDue: BootTime? = nil
    ) {
        self.since = since
        self.outagesFrom = outagesFrom
        self.delivered = delivered
        self.losses = losses
        self.pendingGaps = pendingGaps
        self.nextDue = nextDue
    }

    /// The device produced a sample at this time, so a later outage is a loss to the client.
    public mutating func witness(_ sample: BootTime) { outagesFrom = outagesFrom.map { min($0, sample) } }
}

/// A time in which a device delivers nothing to clients.
public struct Interruption: Equatable, Sendable {
    /// The time of the last sample before.
    public var from: BootTime
    /// The reason.
    public var cause: Gap.Cause

    /// An interruption that begins with the last sample.
    public init(from: BootTime, cause: Gap.Cause) {
        self.from = from
        self.cause = cause
    }
}
