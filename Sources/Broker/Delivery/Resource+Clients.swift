public import Readings

/// How clients join, change their requests, and leave.
extension Resource {
    /// Adds a client to the lane of its grant.
    ///
    /// A new lane begins with the next sample, or about an interval after the client's last reading in its former lane.
    ///
    /// Returns the newest reading if it is due to the client right away: it is no older than the client's interval, and the
    /// client has not seen it. The caller tells the member what became of it.
    public mutating func join(_ client: Client, _ grant: Grant, now: BootTime, inheriting former: Member? = nil)
        -> Sample?
    {
        let index = laneIndex(for: grant)
        // Lanes may still hold samples of a lost device.
        var member = Member(
            client: client, since: now, intervalNanoseconds: grant.isTap ? 0 : grant.intervalNanoseconds, newest: last,
            outage: loss?.from)
        if let former { member.inherit(former) }
        if let former { departed.remove(former, hasLeft: true) }
        if let lastDue = former?.lastDue, lanes[index].members.isEmpty {
            lanes[index].begin(after: lastDue, newest: last?.timestamp, isReopening: formerGrid != nil)
        }
        member.number = number(client, in: index)
        let isNewLane = lanes[index].members.isEmpty
        lanes[index].members.append(member)
        if !grant.isShared, let last = former?.lastMeasurement { lanes[index].continueChange(from: last) }
        guard let newest, isFresh(newest, grant, now: now),
            former.map({ Self.isDue(newest, to: $0, grant) }) ?? true, lanes[index].hasMoved(to: newest.measurement)
        else {
            if let former { keepUndelivered(from: former, in: lanes[index]) }
            return nil
        }
        if isNewLane { lanes[index].didDeliverAlone(newest, pace: pace) }
        return newest
    }

    /// A reading that holds until it changes is as good as new, as long as the device is being read.
    private func isFresh(_ newest: Sample, _ grant: Grant, now: BootTime) -> Bool {
        kind.row.reporting == .onChange && (state == .active || !kind.row.hasDevice)
            || !grant.isTap && now - newest.timestamp <= grant.intervalNanoseconds
    }

    /// Whether a changed stream has already waited for its new interval; a single sample never replaces a mean.
    private static func isDue(_ newest: Sample, to former: Member, _ grant: Grant) -> Bool {
        guard former.hasNotSeen(newest), grant.filter == .newest else { return false }
        return former.lastDue.map { newest.timestamp - $0 >= grant.intervalNanoseconds } ?? true
    }

    private mutating func keepUndelivered(from former: Member, in lane: Lane) {
        guard let newest, former.hasNotSeen(newest), lane.grant.filter == .newest,
            lane.hasMoved(to: newest.measurement)
        else { return }
        let next = former.lastDue.map { $0 + lane.grant.intervalNanoseconds } ?? lastArrival
        undelivered.keep(newest, for: former.client, arrival: lastArrival, notBefore: next)
    }

    /// The readings that clients have not seen since they changed their requests, and that no other reading has followed.
    public mutating func takeUndelivered(now: BootTime) -> [(client: Client, reading: Sample)] {
        let due = undelivered.take(now: now, pace)
        guard !due.isEmpty else { return [] }
        wakeAll()
        // The next change counts from what is sent now.
        for (client, reading) in due {
            guard let lane = position(of: client)?.lane, !lanes[lane].grant.isShared else { continue }
            lanes[lane].didDeliverAlone(reading, pace: pace)
        }
        return due
    }

    /// Takes a client out of its lane and returns its account.
    ///
    /// The caller has sent it what the lane has gathered.
    public mutating func leave(_ client: Client) -> Member? { leave([client])[client] }

    /// Takes clients out of their lanes and returns their accounts.
    ///
    /// All at once, because a connection may have a thousand requests, each with a lane of its own.
    public mutating func leave(_ clients: [Client]) -> [Client: Member] {
        var members: [Client: Member] = [:]
        var isLaneEmpty = false
        for client in clients {
            undelivered.forget(client)
            guard let position = position(of: client) else { continue }
            forgetNumber(of: client)
            let member = lanes[position.lane].dismiss(position.member)
            departed.add(member, hasLeft: true)
            members[client] = member
            if lanes[position.lane].members.isEmpty { isLaneEmpty = true }
        }
        guard isLaneEmpty else { return members }
        wakeAll()
        for index in lanes.indices where lanes[index].members.isEmpty { slots.giveBack(lanes[index].slot) }
        lanes.removeAll { $0.members.isEmpty }
        sleepers.begin(with: lanes.count)
        return members
    }

    /// Gives access to a client's lane and its index in that; nil: it has none.
    ///
    /// This is one access: `body` must not use this resource.
    public mutating func withLane<Result>(
        of client: Client, _ body: (_ lane: inout Lane, _ member: Int) -> Result
    ) -> Result? {
        position(of: client).map { body(&lanes[$0.lane], $0.member) }
    }

    /// The lane of a client, and its index in that.
    ///
    /// Lanes, and the members of each, are in the order of their numbers, even if others have left. So a client is found
    /// by binary search.
    public func position(of client: Client) -> (lane: LaneIndex, member: Int)? {
        guard let (laneNumber, memberNumber) = numbers[client],
            let lane = Self.search(lanes.count, for: laneNumber, { lanes[$0].number }).map({ LaneIndex($0) }),
            let member = Self.search(lanes[lane].members.count, for: memberNumber, { lanes[lane].members[$0].number })
        else { return nil }
        assert(lanes[lane].members[member].client == client)
        return (lane, member)
    }

    private static func search(_ count: Int, for number: Int, _ numberAt: (Int) -> Int) -> Int? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if numberAt(middle) < number { low = middle + 1 } else { high = middle }
        }
        return low < count && numberAt(low) == number ? low : nil
    }

    /// The number of a client that joins a lane now.
    mutating func number(_ client: Client, in lane: LaneIndex) -> Int {
        assert(numbers[client] == nil, "a client is in one lane of a resource")
        lastNumber += 1
        numbers[client] = (lanes[lane].number, lastNumber)
        if case .connection(let token, 1...) = client { furtherRequests[token, default: 0] += 1 }
        return lastNumber
    }

    private mutating func forgetNumber(of client: Client) {
        numbers[client] = nil
        guard case .connection(let token, 1...) = client, let count = furtherRequests[token] else { return }
        furtherRequests[token] = count > 1 ? count - 1 : nil
    }

    mutating func laneIndex(for grant: Grant) -> LaneIndex {
        // By index: a lane is large, and there may be a thousand.
        if grant.isShared, let index = lanes.laneIndices.first(where: { lanes[$0].grant == grant }) { return index }
        lastNumber += 1
        let slot = grant.isShared ? slots.take() : nil
        wakeAll()
        lanes.append(Lane(grant: grant, anchor: anchor ?? formerGrid, number: lastNumber, slot: slot))
        sleepers.begin(with: lanes.count)
        return LaneIndex(lanes.count - 1)
    }
}
