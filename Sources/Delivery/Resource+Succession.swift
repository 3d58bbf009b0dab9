public import Readings

/// How a resource goes on in another process: the daemon ends, its successor has the clients and opens the device anew.
///
/// The grid of due times goes over, so that a client's rhythm goes on as it was and what was due meanwhile can be counted,
/// as far as it ever can. To clients the time between is one gap, `reconfigured`; none where nothing was due in it.
extension Resource {
    /// What its clients will have missed when they hear of it again; nil where it has delivered nothing yet.
    public var interruption: Interruption? {
        loss.map { Interruption(from: $0.from, cause: $0.cause) }
            ?? newest.map { Interruption(from: $0.timestamp, cause: .reconfigured) }
    }

    /// The origin of the grid on which due times lie; nil where it has delivered nothing yet, or its device is lost.
    public var grid: BootTime? { newest == nil ? formerGrid : anchor }

    /// What a client has had, and is owed.
    public func standing(of client: UInt64) -> Standing? {
        guard let place = place(of: client) else { return nil }
        let lane = lanes[place.lane]
        // The rhythm of a lost device is lost with it; a minimum change makes a grid of its own.
        let goesOn = grid != nil && lane.grant.isShared
        return lane.members[place.member].standing(nextDue: goesOn ? lane.nextDue : nil)
    }

    /// Goes on after an interruption, on the grid of before.
    public mutating func resume(after interruption: Interruption?, grid: BootTime?) {
        loss = interruption.map { ($0.from, $0.cause) }
        formerGrid = grid
    }

    /// Gives a client its place back; the device had this period.
    ///
    /// What is known of the client may be older than the interruption: what was due before that, it got.
    public mutating func resume(_ client: UInt64, _ grant: Grant, _ standing: Standing, periodNanoseconds: Int64?) {
        let index = laneIndex(for: grant)
        let next = standing.nextDue.map { next in
            let served = (loss?.from ?? next) + (periodNanoseconds ?? 0) / 2
            guard next <= served, grant.intervalNanoseconds > 0 else { return next }
            return DueTimes.gridPoint(after: served, anchor: next, interval: grant.intervalNanoseconds)
        }
        lanes[index].resume(Member(client, standing), nextDue: next, grid: formerGrid)
    }
}
