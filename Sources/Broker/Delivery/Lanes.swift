internal import Readings

/// The lanes of a resource, one for each distinct grant, and the clients in them.
///
/// Lanes that sleep have not been offered the last sample, but count as holding it: they must wake before anything else than a
/// sample is done to them. They only complete and send replies when they are awake.
public struct Lanes: Sendable {
    // Lanes are changed where they are: a lane is large, and there may be one for each client.
    private var lanes: [Lane] = []
    private(set) var sleepers = Sleepers()
    private var numbers = ClientNumbers()
    /// The accounts of the members that have left.
    private var departed = DeliveryTotals()

    /// Clients that hold a grant, each counted once, however many requests it has.
    public var clientCount: Int { numbers.clientCount }

    // MARK: which there are

    /// The index of the lane for a grant; nil: it would be a new one.
    func index(of grant: Grant) -> LaneIndex? {
        grant.isShared ? laneIndices.first { lanes[$0.number].grant == grant } : nil
    }

    /// Adds an empty lane on the grid of an anchor; it is awake, and no other one wakes.
    mutating func add(_ grant: Grant, anchor: BootTime?) -> LaneIndex {
        assert(index(of: grant) == nil, "a grant has one lane")
        let index = LaneIndex(lanes.count)
        lanes.append(Lane(grant: grant, anchor: anchor, number: numbers.next()))
        sleepers.add(index)
        return index
    }

    /// Puts a client into a lane.
    mutating func add(_ member: consuming Member, to index: LaneIndex) {
        member.number = numbers.add(member.client, toLane: self[index].number)
        self[index].members.append(member)
    }

    /// What was counted of a member goes on elsewhere, or was counted elsewhere.
    mutating func discount(_ member: Member, hasLeft: Bool) { departed.remove(member, hasLeft: hasLeft) }

    /// Takes clients out of their lanes, which have sent what they gathered, and returns their accounts; drops lanes without members,
    /// for which no other one wakes.
    ///
    /// All at once, because a connection may have a thousand requests, each with a lane of its own.
    mutating func remove(_ clients: [Client]) -> [Client: Member] {
        var members: [Client: Member] = [:]
        var empty: [LaneIndex] = []
        for client in clients {
            guard let (lane, index) = position(of: client) else { continue }
            numbers.remove(client)
            let member = self[lane].dismiss(index)
            departed.add(member, hasLeft: true)
            members[client] = member
            if self[lane].members.isEmpty { empty.append(lane) }
        }
        sleepers.remove(empty.sorted())
        // Nearly always there is one: what follows it moves at once, where `removeAll` would swap each lane with the one before.
        if empty.count == 1 {
            lanes.remove(at: empty[0].number)
        } else if !empty.isEmpty {
            lanes.removeAll { $0.members.isEmpty }
        }
        return members
    }

    /// Gives access to a client's lane and its index in that; nil: it has none.
    ///
    /// This is one access: `body` must not use the resource.
    mutating func withLane<Result>(
        of client: Client, _ body: (_ lane: inout Lane, _ member: Int) -> Result
    ) -> Result? {
        position(of: client).map { body(&self[$0.lane], $0.member) }
    }

    /// The lane of a client, and its index in that, found by binary search.
    public func position(of client: Client) -> (lane: LaneIndex, member: Int)? {
        guard let (laneNumber, memberNumber) = numbers[client],
            let lane = Self.search(lanes.count, for: laneNumber, { lanes[$0].number }),
            let member = Self.search(lanes[lane].members.count, for: memberNumber, { lanes[lane].members[$0].number })
        else { return nil }
        assert(lanes[lane].members[member].client == client, "a client is found in another's position")
        return (LaneIndex(lane), member)
    }

    private static func search(_ count: Int, for number: Int, _ numberAt: (Int) -> Int) -> Int? {
        let found = (0..<count).partition { numberAt($0) >= number }
        return found < count && numberAt(found) == number ? found : nil
    }

    // MARK: events of the device

    /// Offers a sample to the lanes that are awake; returns whether one of them has completed a batch.
    mutating func offer(_ sample: Sample, now: BootTime, pace: Pace) -> Bool {
        var hasBatch = false
        withSleepers { all, sleepers in
            sleepers.offer {
                let due = all[$0].offerUnlessAsleep(sample, now: now, pace: pace)
                if all[$0].isToBeSent(onlyGathering: true) { hasBatch = true }
                return due
            }
        }
        return hasBatch
    }

    /// How many samples of a run, from a certain one on, only go into lanes, and that all are older than an instant; nil: none.
    func room(for run: SampleRun, from start: Int, _ pace: Pace) -> LaneRoom? {
        var room = LaneRoom(count: run.count - start, before: BootTime(nanoseconds: .max))
        if let firstDue = sleepers.firstDue { room.before = firstDue + -((pace.periodNanoseconds ?? 0) / 2) }
        for lane in sleepers.awake {
            guard let own = lanes[lane.number].room(pace) else { return nil }
            room.formIntersection(own)
        }
        return room
    }

    mutating func take(_ run: SampleRun, _ range: Range<Int>, now: BootTime, pace: Pace) {
        for lane in sleepers.awake { lanes[lane.number].take(run, range, now: now, pace: pace) }
    }

    /// Samples are missing; all lanes are awake.
    mutating func offer(_ gap: Gap, pace: Pace) { forEachAwake { $0.offer(gap, pace: pace) } }

    /// The device was opened; all lanes are awake.
    mutating func restart(on grid: BootTime?) { forEachAwake { $0.restart(on: grid) } }

    /// The device is lost after this sample; all lanes are awake.
    mutating func loseDevice(after newest: BootTime) { forEachAwake { $0.loseDevice(after: newest) } }

    private mutating func forEachAwake(_ act: (inout Lane) -> Void) {
        assert(sleepers.isEmpty, "something other than a sample comes to a lane that sleeps")
        for index in lanes.indices { act(&lanes[index]) }
    }

    // MARK: sleep

    /// Wakes the lanes for which a sample of this time may be due; all, if the source's clock has jumped back.
    mutating func wake(for timestamp: BootTime, holding newest: NewestSample, _ pace: Pace) {
        if let last = newest.sample, timestamp < last.timestamp { return wakeAll(holding: newest, pace) }
        wake(dueBy: timestamp + (pace.periodNanoseconds ?? 0) / 2, holding: newest, pace)
    }

    mutating func wake(dueBy instant: BootTime, holding newest: NewestSample, _ pace: Pace) {
        guard let firstDue = sleepers.firstDue, firstDue <= instant else { return }
        withSleepers { all, sleepers in sleepers.wake(dueBy: instant) { all.wake($0, holding: newest, pace) } }
    }

    /// Wakes all lanes, because something other than a sample follows.
    mutating func wakeAll(holding newest: NewestSample, _ pace: Pace) {
        guard !sleepers.isEmpty else { return }
        withSleepers { all, sleepers in sleepers.wakeAll { all.wake($0, holding: newest, pace) } }
    }

    private mutating func wake(_ lane: LaneIndex, holding newest: NewestSample, _ pace: Pace) {
        guard let sample = newest.sample else { return }
        self[lane].wake(holding: sample, since: newest.arrival, pace: pace)
    }

    /// One access to the sleepers, in which the lanes can be changed.
    private mutating func withSleepers(_ body: (inout Self, inout Sleepers) -> Void) {
        var sleepers = Sleepers()
        swap(&sleepers, &self.sleepers)
        body(&self, &sleepers)
        swap(&sleepers, &self.sleepers)
    }

    // MARK: what clients are sent

    /// Whether some lane has a complete reply; if requested, only of the lanes that gather.
    func hasOutgoing(onlyGathering: Bool) -> Bool {
        sleepers.awake.contains { lanes[$0.number].isToBeSent(onlyGathering: onlyGathering) }
    }

    /// Has each lane's complete reply sent to its members; if requested, only of the lanes that gather.
    mutating func sendOutgoing(onlyGathering: Bool, _ send: (inout Lane) -> Void) {
        for index in sleepers.awake where lanes[index.number].isToBeSent(onlyGathering: onlyGathering) {
            send(&lanes[index.number])
            lanes[index.number].didSend()
        }
        assert(hasSent(onlyGathering: onlyGathering), "something is left to send")
        assert(areInOrder, "a member of a lane cannot be found")
    }

    /// Whether no lane has a complete reply left.
    ///
    /// A debug build asks this and the next one after each turn, so they look at the lanes where they are.
    private func hasSent(onlyGathering: Bool) -> Bool {
        let lanes = lanes.span
        for index in lanes.indices where lanes[index].isToBeSent(onlyGathering: onlyGathering) { return false }
        return true
    }

    /// Whether lanes, and the members of each, are in the order of their numbers, by which they are found.
    private var areInOrder: Bool {
        let lanes = lanes.span
        for index in lanes.indices {
            guard index == 0 || lanes[index - 1].number < lanes[index].number else { return false }
            let members = lanes[index].members.span
            guard !members.isEmpty else { return false }
            for member in 1..<members.count where members[member - 1].number >= members[member].number { return false }
        }
        return true
    }

    /// Completes all batches: nothing more will come.
    mutating func closeBatches() { for index in lanes.indices { lanes[index].closeBatch() } }

    /// What clients have received and lost, those included that have left.
    public var totals: DeliveryTotals {
        var totals = departed
        for lane in lanes.indices {
            for member in lanes[lane].members.indices { totals.add(lanes[lane].members[member], hasLeft: false) }
        }
        return totals
    }

    // MARK: what the device has to do

    /// What is sufficient for all of them: the longest sample interval, how long samples may be held back, and the smallest change
    /// that matters (nil: each sample does); nil: there are no lanes.
    ///
    /// Asked whenever a client comes, goes or changes, so it looks at the lanes where they are: there may be one for each client.
    func wish(
        within limits: IntervalLimits, of kind: Kind
    ) -> (intervalNanoseconds: Int64, latencyNanoseconds: Int64, change: Double?)? {
        guard !lanes.isEmpty else { return nil }
        var (interval, latency) = (Int64.max, Int64.max)
        // Most kinds never rest.
        var change: Double? = kind.row.reporting == .onChange ? .infinity : nil
        let lanes = lanes.span
        for index in lanes.indices {
            let grant = lanes[index].grant
            interval = Swift.min(interval, grant.wish(within: limits))
            latency = Swift.min(latency, grant.latencyNanoseconds)
            if let smallest = change { change = grant.change(of: kind).map { Swift.min(smallest, $0) } }
        }
        return (interval, latency, change)
    }

    // MARK: time

    /// When something is due without a new sample; nil: never.
    func deadline(holding newest: NewestSample, _ pace: Pace) -> BootTime? {
        var earliest: BootTime?
        for index in sleepers.awake {
            earliest = BootTime.earlier(earliest, lanes[index.number].deadline(pace: pace))
        }
        // All sleeping lanes hold the last sample.
        if let due = sleepers.firstDue {
            earliest = BootTime.earlier(earliest, Swift.max(due, newest.arrival + pace.silenceNanoseconds))
        }
        return earliest
    }

    mutating func expire(now: BootTime, holding newest: NewestSample, pace: Pace) {
        wake(dueBy: now, holding: newest, pace)
        for index in sleepers.awake { lanes[index.number].expire(now: now, pace: pace) }
    }

    /// Asked after each turn, so it looks at the lanes where they are, and at few.
    var mayBeIndifferent: Bool {
        guard lanes.count <= Indifference.mostLanes else { return false }
        let lanes = lanes.span
        for index in lanes.indices where !lanes[index].mayBeIndifferent { return false }
        return true
    }

    /// Whether that depends on a derivation, too.
    var followsDerivation: Bool { mayBeIndifferent && lanes.contains { $0.followsDerivation } }

    /// Why nothing follows from most samples, for all lanes; nil: something may follow from any.
    func grounds(
        holding newest: NewestSample, _ derived: (DerivationIndex) -> Indifference.Ground?
    ) -> [Indifference.Ground]? {
        guard mayBeIndifferent else { return nil }
        var grounds: [Indifference.Ground] = []
        for lane in laneIndices {
            let slept = sleepers.awake.contains(lane) ? nil : newest.sample
            guard let reasons = self[lane].grounds(holding: slept, derived) else { return nil }
            grounds += reasons
        }
        return grounds
    }
}

extension Lanes: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// How many there are.
    public var endIndex: Int { lanes.count }

    /// The lane of a number among all lanes.
    public internal(set) subscript(number: Int) -> Lane {
        _read { yield lanes[number] }
        _modify { yield &lanes[number] }
    }

    /// The lane of an index.
    public internal(set) subscript(index: LaneIndex) -> Lane {
        _read { yield lanes[index.number] }
        _modify { yield &lanes[index.number] }
    }

    /// The indices of all lanes.
    public var laneIndices: some BidirectionalCollection<LaneIndex> { lanes.indices.lazy.map { LaneIndex($0) } }
}
