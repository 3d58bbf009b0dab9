public import Readings

/// What one client has had of a resource and has still to be told: all that has to be known to go on with it elsewhere.
public struct Standing: Equatable, Sendable {
    /// When it joined.
    public var since: BootTime
    /// It came when the device was gone already.
    public var cameInOutage: Bool
    /// Readings handed to its socket.
    public var delivered: Int
    /// Readings that it was due and did not get.
    public var lost: Int
    /// What it is still to be told of the lost ones, one gap a cause.
    public var untold: [Gap]
    /// When its next reading is due; nil: at once, or nobody knows.
    public var nextDue: BootTime?

    /// The standing of a client that came at an instant.
    public init(
        since: BootTime, cameInOutage: Bool = false, delivered: Int = 0, lost: Int = 0, untold: [Gap] = [],
        nextDue: BootTime? = nil
    ) {
        self.since = since
        self.cameInOutage = cameInOutage
        self.delivered = delivered
        self.lost = lost
        self.untold = untold
        self.nextDue = nextDue
    }
}
