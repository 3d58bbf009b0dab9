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
    public func account(of client: Client) -> ClientAccount? {
        guard let place = place(of: client) else { return nil }
        var account = lanes[place.lane].members[place.member].account(nextDue: nextDue(ofLane: place.lane))
        if let newest { account.witness(newest.timestamp) }
        return account
    }

    /// When a lane's next reading is due; nil where that is of no use to another process.
    ///
    /// The rhythm of a lost device is lost with it; a minimum change makes a grid of its own.
    public func nextDue(ofLane index: Int) -> BootTime? {
        grid != nil && lanes[index].grant.isShared ? lanes[index].nextDue : nil
    }

    /// Goes on after an interruption, on the grid of before.
    public mutating func resume(after interruption: Interruption?, grid: BootTime?) {
        loss = interruption.map { ($0.from, $0.cause) }
        formerGrid = grid
    }

    /// Gives a client its place back; the device had this period.
    ///
    /// If its account says that it has received less than others, returns the gap to tell the client.
    public mutating func resume(
        _ client: Client, _ grant: Grant, _ account: ClientAccount, periodNanoseconds: Int64?
    ) -> Gap? {
        let index = laneIndex(for: grant)
        let missed = missed(grant, account, periodNanoseconds)
        var account = account
        if let missed { account.losses.add(missed) }
        var member = Member(client, account)
        member.number = number(client, in: index)
        wakeAll()
        lanes[index].resume(member, nextDue: account.nextDue, grid: formerGrid)
        return missed
    }

    /// What was due to a client after it was last served, and was delivered to others.
    private func missed(_ grant: Grant, _ account: ClientAccount, _ period: Int64?) -> Gap? {
        guard let from = account.servedUntil, let last = loss?.from else { return nil }
        var gap = Gap(cause: .restarted, count: nil, from: from, until: max(from, last))
        guard let formerDue = account.formerDue, let nextDue = account.nextDue,
            grant.intervalNanoseconds > period ?? 0
        else { return from < last ? gap : nil }
        let count = (nextDue - formerDue) / grant.intervalNanoseconds
        guard count > 0 else { return nil }
        gap.count = Int(clamping: count)
        // Behind the last sample lies what was due in a silence.
        gap.until = max(gap.until, nextDue + -grant.intervalNanoseconds)
        return gap
    }
}
