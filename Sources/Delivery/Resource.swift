public import Readings

/// One resource as its clients see it: its state, its newest reading, its lanes, and what it needs of its device.
///
/// Pure: samples, states and the time come in as arguments. After each call, lanes with `hasOutgoing` have a reply to
/// send, `demand` is what the device should do, and `deadline` is when `expire` must be called if nothing else happens.
public struct Resource: Sendable {
    /// Its name.
    public let name: ResourceName
    /// What it measures.
    public let kind: ResourceKind
    /// How it is doing.
    public private(set) var state: ResourceState = .idle
    /// What its device can do, once that is known.
    public private(set) var profile: DeviceProfile?
    /// The newest sample of an open device.
    public var newest: Sample? { isServing ? last : nil }
    /// The lanes, one a distinct grant.
    public var lanes: [Lane] = []
    /// What the subscribers need of the device; nil: nobody asks.
    public var demand: Demand? { arbitration.demand }
    /// Calls that wait for one sample, each of which counts as a subscriber.
    public private(set) var waitingReads = 0

    private var arbitration = Arbitration()
    private var anchor: BootTime?
    /// The last sample since the device was opened, and whether the device is still there.
    private var last: Sample?
    private var lastArrival = BootTime(nanoseconds: 0)
    private var isServing = false
    /// The newest sample, for those who changed their request before they had seen it; the next sample overtakes it.
    private var unseen: [Unseen] = []
    /// The last sample before the device was gone, and why it went.
    private var loss: (from: BootTime, cause: Gap.Cause)?

    private struct Unseen {
        let client: UInt64
        let sample: Sample
        let arrival: BootTime
        /// An interval after the client's last reading.
        let next: BootTime

        /// When the client should have it, since the source is silent.
        func dueAt(_ pace: Pace) -> BootTime { max(next, arrival + pace.silenceNanoseconds) }
    }

    /// A resource that nobody has asked for yet.
    public init(name: ResourceName, kind: ResourceKind) {
        self.name = name
        self.kind = kind
    }

    /// What the administrator wants granted; who holds a grant is granted anew where that alters it.
    public var intervalPolicy = IntervalPolicy()

    /// The intervals that it grants.
    public var limits: IntervalLimits { IntervalLimits(kind: kind, offered: profile?.offered, policy: intervalPolicy) }

    /// What the device runs at now; nil while it is closed or where it does not say.
    public var deviceIntervalNanoseconds: Int64? {
        switch state {
        case .idle, .unavailable, .released: nil
        case .warm, .starting, .active, .stale: profile?.intervalNanoseconds
        }
    }

    /// How its device delivers at present.
    public var pace: Pace {
        Pace(
            periodNanoseconds: profile?.intervalNanoseconds,
            latencyNanoseconds: arbitration.demand?.latencyNanoseconds ?? 0)
    }

    /// Clients that hold a grant.
    public var subscriberCount: Int { lanes.reduce(0) { $0 + $1.members.count } }

    /// Whether some lane's readings must not all go into one reply.
    public var isGathering: Bool { lanes.contains { $0.isGathering } }

    // MARK: what the device says

    /// A sample arrived.
    public mutating func accept(_ sample: Sample, now: BootTime) {
        last = sample
        lastArrival = now
        isServing = true
        unseen.removeAll()
        if anchor == nil { anchor = sample.timestamp }
        tellLoss(until: sample.timestamp)
        let pace = pace
        for index in lanes.indices { lanes[index].offer(sample, now: now, pace: pace) }
    }

    /// Samples were lost before they arrived.
    public mutating func accept(_ gap: Gap) {
        tellLoss(until: gap.from)
        hand(gap)
    }

    private mutating func hand(_ gap: Gap) {
        let pace = pace
        for index in lanes.indices { lanes[index].offer(gap, pace: pace) }
    }

    /// The device is, or runs, otherwise than believed; returns whether that is news.
    public mutating func accept(_ profile: DeviceProfile) -> Bool {
        guard profile != self.profile else { return false }
        self.profile = profile
        return true
    }

    /// The device was opened and counts from 0 again.
    ///
    /// The caller has sent what the lanes had outgoing.
    public mutating func deviceOpened() {
        last = nil
        isServing = false
        anchor = nil
        unseen.removeAll()
        for index in lanes.indices { lanes[index].restart() }
    }

    /// The device may be another one from now on: what comes next is of another opening, and what it held is gone.
    ///
    /// The caller has sent what the lanes had outgoing.
    public mutating func deviceReplaced() { deviceLost(.reconfigured) }

    /// The device is doing otherwise; returns whether that is news.
    public mutating func accept(_ state: ResourceState) -> Bool {
        guard state != self.state else { return false }
        switch state {
        case .unavailable: deviceLost(.deviceLost)
        case .released: deviceLost(.released)
        case .idle where lanes.isEmpty:
            isServing = false
            loss = nil
        // It was about to be closed when somebody came; it is opened again for them.
        case .idle: deviceLost(.reconfigured)
        case .warm, .starting, .active, .stale: break
        }
        self.state = state
        return true
    }

    // MARK: what the clients want

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
            client: client, since: now, intervalNanoseconds: grant.intervalNanoseconds, newest: last,
            inOutage: loss != nil)
        if let former { member.inherit(former) }
        let isNewLane = lanes[index].members.isEmpty
        lanes[index].admit(member)
        guard let newest, isFresh(newest, grant, now: now),
            former.map({ Self.isDue(newest, to: $0, grant) }) ?? true
        else {
            if let former { keepUnseen(from: former, grant) }
            return nil
        }
        if isNewLane { lanes[index].didDeliverAlone(newest, pace: pace) }
        return newest
    }

    /// What holds until it changes is as good as new.
    private func isFresh(_ newest: Sample, _ grant: Grant, now: BootTime) -> Bool {
        kind.tellsChangesOnly
            || grant.intervalNanoseconds > 0 && now - newest.timestamp <= grant.intervalNanoseconds
    }

    /// Whether a stream that was changed has waited for its new interval already; a raw sample is no mean.
    private static func isDue(_ newest: Sample, to former: Member, _ grant: Grant) -> Bool {
        guard former.hasNotSeen(newest), grant.filter == .newest else { return false }
        return former.lastDue.map { newest.timestamp - $0 >= grant.intervalNanoseconds } ?? true
    }

    private mutating func keepUnseen(from former: Member, _ grant: Grant) {
        guard let newest, former.hasNotSeen(newest), grant.filter == .newest, grant.isShared else { return }
        let next = former.lastDue.map { $0 + grant.intervalNanoseconds } ?? lastArrival
        unseen.append(Unseen(client: former.client, sample: newest, arrival: lastArrival, next: next))
    }

    /// The readings that clients have not seen since they changed their requests, and that nothing has followed.
    public mutating func takeUnseen(now: BootTime) -> [(client: UInt64, reading: Sample)] {
        let pace = pace
        let due = unseen.filter { now >= $0.dueAt(pace) }
        if !due.isEmpty { unseen.removeAll { now >= $0.dueAt(pace) } }
        return due.map { ($0.client, $0.sample) }
    }

    /// Takes a client out of its lane and returns its account.
    ///
    /// The caller has closed the lane's batch and sent it.
    public mutating func leave(_ client: UInt64) -> Member? {
        unseen.removeAll { $0.client == client }
        for lane in lanes.indices {
            guard let index = lanes[lane].members.firstIndex(where: { $0.client == client }) else { continue }
            let member = lanes[lane].members.remove(at: index)
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

    /// A call begins or ends to wait for the next sample.
    public mutating func countWaitingRead(_ change: Int) { waitingReads += change }

    /// Works out what the device has to do for all of them; returns whether that changed.
    public mutating func settle(now: BootTime) -> Bool {
        let limits = limits
        var wishes = lanes.map {
            Demand(
                intervalNanoseconds: $0.grant.wish(within: limits), latencyNanoseconds: $0.grant.batchNanoseconds)
        }
        if waitingReads > 0 { wishes.append(Demand(intervalNanoseconds: limits.defaultNanoseconds)) }
        return arbitration.settle(wishes, offered: profile?.offered, now: now)
    }

    // MARK: time

    /// When something is due without a new sample; nil: never.
    public var deadline: BootTime? {
        let pace = pace
        var earliest = arbitration.deadline
        for lane in lanes { earliest = BootTime.earlier(earliest, lane.deadline(pace: pace)) }
        for held in unseen { earliest = BootTime.earlier(earliest, held.dueAt(pace)) }
        return earliest
    }

    /// The deadline has come.
    public mutating func expire(now: BootTime) {
        let pace = pace
        for index in lanes.indices { lanes[index].expire(now: now, pace: pace) }
    }

    private mutating func deviceLost(_ cause: Gap.Cause) {
        guard let newest else { return }
        for index in lanes.indices { lanes[index].loseDevice() }
        loss = (loss?.from ?? newest.timestamp, cause)
        isServing = false
    }

    private mutating func laneIndex(for grant: Grant) -> Int {
        if grant.isShared, let index = lanes.firstIndex(where: { $0.grant == grant }) { return index }
        lanes.append(Lane(grant: grant, anchor: anchor))
        return lanes.count - 1
    }

    private mutating func tellLoss(until: BootTime) {
        guard let (from, cause) = loss else { return }
        loss = nil
        hand(Gap(cause: cause, count: nil, from: from, until: max(from, until)))
    }
}
