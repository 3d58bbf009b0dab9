public import Readings

/// How clients come, change what they ask for, and go.
extension Resource {
    /// Gives a client a place in the lane of its grant, which begins with the next sample.
    ///
    /// Returns the newest reading if it is due to the client right away: it is no older than the client's interval, and the
    /// client has not seen it. The caller tells the member what became of it.
    public mutating func join(_ client: UInt64, _ grant: Grant, now: BootTime, inheriting former: Member? = nil)
        -> Sample?
    {
        let index = laneIndex(for: grant)
        // Of a lost device, lanes may still hold samples.
        var member = Member(
            client: client, since: now, intervalNanoseconds: grant.isTap ? 0 : grant.intervalNanoseconds, newest: last,
            inOutage: loss != nil)
        if let former { member.inherit(former) }
        let isNewLane = lanes[index].members.isEmpty
        lanes[index].members.append(member)
        if !grant.isShared, let last = former?.lastMeasurement { lanes[index].continueChange(from: last) }
        guard let newest, isFresh(newest, grant, now: now),
            former.map({ Self.isDue(newest, to: $0, grant) }) ?? true, lanes[index].hasMoved(to: newest.measurement)
        else {
            if let former { keepUnseen(from: former, in: lanes[index]) }
            return nil
        }
        if isNewLane { lanes[index].didDeliverAlone(newest, pace: pace) }
        return newest
    }

    /// What holds until it changes is as good as new.
    private func isFresh(_ newest: Sample, _ grant: Grant, now: BootTime) -> Bool {
        kind.tellsChangesOnly
            || !grant.isTap && now - newest.timestamp <= grant.intervalNanoseconds
    }

    /// Whether a stream that was changed has waited for its new interval already; a raw sample is no mean.
    private static func isDue(_ newest: Sample, to former: Member, _ grant: Grant) -> Bool {
        guard former.hasNotSeen(newest), grant.filter == .newest else { return false }
        return former.lastDue.map { newest.timestamp - $0 >= grant.intervalNanoseconds } ?? true
    }

    private mutating func keepUnseen(from former: Member, in lane: Lane) {
        guard let newest, former.hasNotSeen(newest), lane.grant.filter == .newest,
            lane.hasMoved(to: newest.measurement)
        else { return }
        let next = former.lastDue.map { $0 + lane.grant.intervalNanoseconds } ?? lastArrival
        unseen.keep(newest, for: former.client, arrival: lastArrival, notBefore: next)
    }

    /// The readings that clients have not seen since they changed their requests, and that nothing has followed.
    public mutating func takeUnseen(now: BootTime) -> [(client: UInt64, reading: Sample)] {
        let due = unseen.take(now: now, pace)
        // The next change counts from what is sent now.
        for (client, reading) in due {
            guard let lane = place(of: client)?.lane, !lanes[lane].grant.isShared else { continue }
            lanes[lane].didDeliverAlone(reading, pace: pace)
        }
        return due
    }

    /// Takes a client out of its lane and returns its account.
    ///
    /// The caller has sent it what the lane has gathered.
    public mutating func leave(_ client: UInt64) -> Member? {
        unseen.forget(client)
        for lane in lanes.indices {
            guard let index = lanes[lane].members.firstIndex(where: { $0.client == client }) else { continue }
            let member = lanes[lane].dismiss(index)
            if lanes[lane].members.isEmpty { lanes.remove(at: lane) }
            return member
        }
        return nil
    }

    /// The lane and place of a client.
    public func place(of client: UInt64) -> (lane: Int, member: Int)? {
        for lane in lanes.indices {
            if let member = lanes[lane].members.firstIndex(where: { $0.client == client }) { return (lane, member) }
        }
        return nil
    }

    mutating func laneIndex(for grant: Grant) -> Int {
        if grant.isShared, let index = lanes.firstIndex(where: { $0.grant == grant }) { return index }
        lanes.append(Lane(grant: grant, anchor: anchor ?? formerGrid))
        return lanes.count - 1
    }
}
