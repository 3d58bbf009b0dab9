public import Readings

/// How a resource continues in another process: the daemon ends, and its successor takes over the clients and opens the device
/// again.
///
/// The successor keeps the grid of due times, so that clients' rhythms continue and readings that were due meanwhile can be
/// counted. For clients the time between is one gap, `restarted`, or none if nothing was due in it.
extension Resource {
    /// What its clients will have missed when it continues; nil if it has delivered nothing yet.
    public var interruption: Interruption? {
        loss.map { Interruption(from: $0.from, cause: $0.cause) }
            ?? newest.map { Interruption(from: $0.timestamp, cause: .restarted) }
    }

    /// The origin of the grid of due times; nil if it has delivered nothing yet, or its device is lost.
    public var grid: BootTime? { newest == nil ? formerGrid : anchor }

    /// What a client has received, and what it must still be told.
    public func account(of client: Client) -> ClientAccount? {
        guard let position = position(of: client) else { return nil }
        var account = lanes[position.lane].members[position.member].account(nextDue: nextDue(ofLane: position.lane))
        if let newest { account.witness(newest.timestamp) }
        return account
    }

    /// When a lane's next reading is due; nil if another process could not use that.
    ///
    /// The rhythm of a lost device is lost with it, and a lane with a minimum change has a grid of its own.
    public func nextDue(ofLane index: LaneIndex) -> BootTime? {
        grid != nil && lanes[index].grant.isShared ? lanes[index].nextDue : nil
    }

    /// Continues after an interruption, on the former grid.
    public mutating func resume(after interruption: Interruption?, grid: BootTime?) {
        loss = interruption.map { ($0.from, $0.cause) }
        formerGrid = grid
    }

    /// Puts a client into a lane again; the device had this period.
    ///
    /// If it has received less than others according to its account, returns the gap to report to it.
    public mutating func resume(
        _ client: Client, _ grant: Grant, _ account: ClientAccount, periodNanoseconds: Int64?
    ) -> Gap? {
        let index = laneIndex(for: grant)
        let missed = missed(grant, account, periodNanoseconds)
        // What another process has counted does not count here.
        departed.remove(Member(client, account), hasLeft: false)
        var account = account
        if let missed { account.losses.add(missed) }
        var member = Member(client, account, intervalNanoseconds: grant.intervalNanoseconds)
        member.number = number(client, in: index)
        wakeAll()
        lanes[index].resume(member, nextDue: account.nextDue, grid: formerGrid)
        return missed
    }

    /// The readings that were due to a client after it was last served, and that others received.
    private func missed(_ grant: Grant, _ account: ClientAccount, _ period: Int64?) -> Gap? {
        guard let from = account.servedUntil, let last = loss?.from else { return nil }
        var gap = Gap(cause: .restarted, count: nil, from: from, until: max(from, last))
        guard let formerDue = account.formerDue, let nextDue = account.nextDue,
            grant.intervalNanoseconds > period ?? 0
        else { return from < last ? gap : nil }
        let count = (nextDue - formerDue) / grant.intervalNanoseconds
        guard count > 0 else { return nil }
        gap.count = Int(clamping: count)
        // Readings that were due in a silence lie behind the last sample.
        gap.until = max(gap.until, nextDue + -grant.intervalNanoseconds)
        return gap
    }
}
