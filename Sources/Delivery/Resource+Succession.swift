public import Readings

/// How a resource goes on in another process: the daemon ends, its successor has the clients and opens the device anew.
///
/// The grid of due times goes over, so that a client's rhythm goes on as it was and what was due meanwhile can be counted,
/// as far as it ever can. To clients the time between is one gap, `restarted`; none where nothing was due in it.
extension Resource {
    /// What its clients will have missed when they hear of it again; nil where it has delivered nothing yet.
    public var interruption: Interruption? {
        loss.map { Interruption(from: $0.from, cause: $0.cause) }
            ?? newest.map { Interruption(from: $0.timestamp, cause: .restarted) }
    }

    /// The origin of the grid on which due times lie; nil where it has delivered nothing yet, or its device is lost.
    public var grid: BootTime? { newest == nil ? formerGrid : anchor }

    /// What a client has had, and is owed.
    public func standing(of client: Client) -> Standing? {
        guard let place = place(of: client) else { return nil }
        let lane = lanes[place.lane]
        // The rhythm of a lost device is lost with it; a minimum change makes a grid of its own.
        let goesOn = grid != nil && lane.grant.isShared
        var standing = lane.members[place.member].standing(nextDue: goesOn ? lane.nextDue : nil)
        if let newest { standing.witness(newest.timestamp) }
        return standing
    }

    /// Goes on after an interruption, on the grid of before.
    public mutating func resume(after interruption: Interruption?, grid: BootTime?) {
        loss = interruption.map { ($0.from, $0.cause) }
        formerGrid = grid
    }

    /// Gives a client its place back; the device had this period.
    ///
    /// The client's standing may be older than the interruption: what was due in between was delivered. If the standing says
    /// that less was delivered, returns the gap to tell the client.
    public mutating func resume(
        _ client: Client, _ grant: Grant, _ standing: Standing, periodNanoseconds: Int64?
    ) -> Gap? {
        let index = laneIndex(for: grant)
        let half = (periodNanoseconds ?? 0) / 2
        let next = standing.nextDue.map { Self.next($0, grant, after: (loss?.from ?? $0) + half) }
        let missed = missed(grant, standing, periodNanoseconds)
        var standing = standing
        if let missed { standing.losses.add(missed) }
        var member = Member(client, standing)
        member.number = number(client, in: index)
        lanes[index].resume(member, nextDue: next, grid: formerGrid)
        return missed
    }

    /// What was due to a client after it was last served, and was delivered to others.
    private func missed(_ grant: Grant, _ standing: Standing, _ period: Int64?) -> Gap? {
        guard let from = standing.servedUntil, let until = loss?.from, from < until else { return nil }
        var gap = Gap(cause: .restarted, count: nil, from: from, until: until)
        guard let due = standing.nextDue, grant.intervalNanoseconds > period ?? 0 else { return gap }
        let half = (period ?? 0) / 2
        let last = until + half
        let next = Self.next(due, grant, after: from + half)
        guard next <= last else { return nil }
        gap.count = Int(clamping: (last - next) / grant.intervalNanoseconds + 1)
        return gap
    }

    private static func next(_ due: BootTime, _ grant: Grant, after served: BootTime) -> BootTime {
        guard due <= served, grant.intervalNanoseconds > 0 else { return due }
        return DueTimes.gridPoint(after: served, anchor: due, interval: grant.intervalNanoseconds)
    }
}
