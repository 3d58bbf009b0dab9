public import Readings

/// A resource as its clients see it: its state, its newest reading, its lanes, and what it needs from its device.
///
/// Pure: samples, states and the time come in as arguments. After each call, lanes with `hasOutgoing` have a reply to
/// send, `wishes` are what its device should do for it, and `deadline` is when `expire` must be called if nothing else happens.
public struct Resource: ~Copyable, Sendable {
    /// Its name.
    public let name: ResourceName
    /// What it measures.
    public let kind: Kind
    /// At which of its device's inputs for the kind.
    public internal(set) var input: UInt8
    /// Its state.
    public private(set) var state: ResourceState = .idle
    /// What its device can do; nil until that is known.
    public private(set) var profile: DeviceProfile? { didSet { isDeadlineKnown = false } }
    /// The newest sample of an open device.
    public var newest: Sample? { isServing ? last : nil }
    /// The lanes, one for each distinct grant.
    ///
    /// Others only complete and send replies, and keep the accounts of members; sleeping lanes have no replies.
    public var lanes: [Lane] = [] { didSet { isDeadlineKnown = false } }
    /// Whether somebody asks for it.
    public var isWanted: Bool { !lanes.isEmpty || waitingReads > 0 }
    /// Calls that wait for one sample, each of which counts as a subscriber.
    public private(set) var waitingReads = 0

    /// The numbers of each client's lane and of the client in it.
    var numbers: [Client: (lane: Int, member: Int)] = [:]
    /// The number of the last lane or member.
    var lastNumber = 0
    /// How many numbered requests each connection has.
    var furtherRequests: [ConnectionToken: Int] = [:]
    /// The accounts of the members that have left.
    var departed = DeliveryTotals()
    /// The slots in the ledger of lanes whose due times a successor continues.
    var slots = LedgerSlots()
    /// How long its device may hold samples back; the device determines this for all its resources.
    var latencyNanoseconds: Int64 = 0 {
        willSet { if newValue != latencyNanoseconds { wakeAll() } }
        didSet { isDeadlineKnown = false }
    }
    var anchor: BootTime?
    /// The last sample since the device was opened, and whether the device is still there.
    var last: Sample?
    var lastArrival = BootTime(nanoseconds: 0)
    /// Which lanes sleep: they have not been offered the last sample, but count as holding it.
    var sleepers = Sleepers()
    private var isServing = false
    /// The newest sample, for clients that changed their request before they had seen it; the next sample replaces it.
    var undelivered = Undelivered() { didSet { isDeadlineKnown = false } }
    /// The time of the last sample before the device was lost, and the cause of the loss.
    var loss: (from: BootTime, cause: Gap.Cause)?
    /// The grid of the previous process, which continues with the first sample.
    var formerGrid: BootTime?
    /// The deadline as last computed.
    ///
    /// The loop asks for it in every turn, and there may be a thousand lanes.
    private var knownDeadline: BootTime?
    private var isDeadlineKnown = false

    /// A resource that nobody has asked for yet.
    public init(name: ResourceName, kind: Kind, input: UInt8 = 0) {
        self.name = name
        self.kind = kind
        self.input = input
    }

    /// What it measures, and where.
    public var quantity: Quantity { Quantity(kind, input: input) }

    /// Its device, its driver and its input, as text for people.
    public var description: String? { profile?.description(of: quantity) }

    /// The intervals that the administrator has configured; grants that this changes are made again.
    public var intervalPolicy = IntervalPolicy()

    /// The intervals that it grants.
    public var limits: IntervalLimits { IntervalLimits(kind: kind, offered: profile?.offered, policy: intervalPolicy) }

    /// The present interval of the device; nil while it is closed, or if it does not report one.
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
            latencyNanoseconds: latencyNanoseconds,
            isDecimated: profile?.isDecimated ?? false)
    }

    /// How long after the arrival of a reading the next one can be expected, at an interval.
    public func reachNanoseconds(every intervalNanoseconds: Int64) -> Int64 {
        intervalNanoseconds.addingSaturating(pace.silenceNanoseconds)
    }

    /// Clients that hold a grant, each counted once, however many requests it has.
    public var subscriberCount: Int {
        let further = furtherRequests.reduce(0) { $0 + $1.value }
        return numbers.count - further + furtherRequests.keys.count { numbers[.connection($0)] == nil }
    }

    // MARK: what the device says

    /// A sample arrived.
    ///
    /// Returns whether some lane has completed a batch, which goes out before the next sample is taken.
    @discardableResult
    public mutating func accept(_ sample: Sample, now: BootTime) -> Bool {
        // It may have arrived after the turn began. If it counted as older than it is, the source would count as silent too soon.
        let arrival = max(now, sample.timestamp)
        let pace = pace
        wake(for: sample.timestamp, pace)
        last = sample
        lastArrival = arrival
        isServing = true
        undelivered.overtake()
        formerGrid = nil
        if anchor == nil { anchor = sample.timestamp }
        tellLoss(until: sample.timestamp)
        var hasBatch = false
        withSleepers { resource, sleepers in
            sleepers.offer {
                let due = resource.lanes[$0].offerUnlessAsleep(sample, now: arrival, pace: pace)
                if resource.lanes[$0].isToBeSent(onlyGathering: true) { hasBatch = true }
                return due
            }
        }
        return hasBatch
    }

    /// How many samples of a run, from a certain one on, do nothing but go into lanes: they wake none, complete no batch, end no outage
    /// and begin no grid.
    func quietCount(of run: SampleRun, from start: Int) -> Int {
        guard isServing, loss == nil, anchor != nil, let last else { return 0 }
        let pace = pace
        var room = LaneRoom(count: run.count - start, before: BootTime(nanoseconds: .max))
        if let firstDue = sleepers.firstDue { room.before = firstDue + -((pace.periodNanoseconds ?? 0) / 2) }
        for lane in sleepers.awake {
            guard let own = lanes[lane].room(pace) else { return 0 }
            room.formIntersection(own)
        }
        // Where the clock jumps back, a new grid begins.
        return run.countInOrder(start..<start + max(0, room.count), from: last.timestamp, before: room.before)
    }

    /// Takes samples that `quietCount` has counted.
    mutating func acceptQuiet(_ run: SampleRun, _ range: Range<Int>, now: BootTime) {
        let latest = run[range.upperBound - 1]
        let pace = pace
        last = latest
        lastArrival = max(now, latest.timestamp)
        undelivered.overtake()
        formerGrid = nil
        for lane in sleepers.awake { lanes[lane].take(run, range, now: now, pace: pace) }
    }

    /// Wakes the lanes for which a sample of this time may be due; all, if the source's clock has jumped back.
    private mutating func wake(for timestamp: BootTime, _ pace: Pace) {
        if let last, timestamp < last.timestamp { return wakeAll() }
        wake(dueBy: timestamp + (pace.periodNanoseconds ?? 0) / 2)
    }

    private mutating func wake(dueBy instant: BootTime) {
        guard let firstDue = sleepers.firstDue, firstDue <= instant else { return }
        withSleepers { resource, sleepers in sleepers.wake(dueBy: instant) { resource.wake(lane: $0) } }
    }

    /// Wakes all lanes, because something other than a sample follows.
    mutating func wakeAll() {
        guard !sleepers.isEmpty else { return }
        withSleepers { resource, sleepers in sleepers.wakeAll { resource.wake(lane: $0) } }
    }

    private mutating func wake(lane: LaneIndex) {
        guard let last else { return }
        lanes[lane].wake(holding: last, since: lastArrival, pace: pace)
    }

    /// One access to the sleepers, in which the lanes can be changed.
    private mutating func withSleepers(_ body: (inout Self, inout Sleepers) -> Void) {
        var sleepers = Sleepers()
        swap(&sleepers, &self.sleepers)
        body(&self, &sleepers)
        swap(&sleepers, &self.sleepers)
    }

    /// Takes over the grid that another resource of the device has begun, unless there are lanes already: they begin a grid with
    /// their first sample, which nearly always belongs to the same scan.
    mutating func follow(_ grid: BootTime) { if anchor == nil, lanes.isEmpty { anchor = grid } }

    /// Samples were lost before they arrived.
    public mutating func accept(_ gap: Gap) {
        // A device that reports the loss itself, before it is opened again, knows more about it.
        if last != nil, loss?.cause == gap.cause { loss = nil }
        tellLoss(until: gap.from)
        hand(gap)
    }

    private mutating func hand(_ gap: Gap) {
        wakeAll()
        let pace = pace
        for index in lanes.indices { lanes[index].offer(gap, pace: pace) }
    }

    /// The device's properties, or how it runs, are as given; returns whether that is news.
    public mutating func accept(_ profile: DeviceProfile) -> Bool {
        guard profile != self.profile else { return false }
        wakeAll()
        self.profile = profile
        return true
    }

    /// The device was opened and counts from 0 again.
    ///
    /// The caller has sent what the lanes had outgoing.
    public mutating func deviceOpened() {
        wakeAll()
        last = nil
        isServing = false
        anchor = formerGrid
        undelivered.overtake()
        for index in lanes.indices { lanes[index].restart(on: anchor) }
    }

    /// The device may be another one from now on: later samples belong to another opening, and what it held is lost.
    ///
    /// The caller has sent what the lanes had outgoing.
    public mutating func deviceReplaced() { deviceLost(.reconfigured) }

    /// The device has this state; returns whether that is news.
    public mutating func accept(_ state: ResourceState) -> Bool {
        guard state != self.state else { return false }
        switch state {
        case .unavailable: deviceLost(.deviceLost)
        case .released: deviceLost(.released)
        case .idle where lanes.isEmpty:
            isServing = false
            loss = nil
        // It was about to be closed when a client subscribed; it is opened again.
        case .idle: deviceLost(.reconfigured)
        case .warm, .starting, .active, .stale: break
        }
        self.state = state
        return true
    }

    // MARK: what clients are sent

    /// Whether some lane has a complete reply; if requested, only of the lanes that gather.
    public func hasOutgoing(onlyGathering: Bool = false) -> Bool {
        sleepers.awake.contains { lanes[$0].isToBeSent(onlyGathering: onlyGathering) }
    }

    /// Has each lane's complete reply sent to its members; if requested, only of the lanes that gather.
    ///
    /// This is one access to the lanes for all members of all of them: `send` must not use this resource.
    public mutating func sendOutgoing(onlyGathering: Bool = false, _ send: (inout Lane) -> Void) {
        for index in sleepers.awake where lanes[index].isToBeSent(onlyGathering: onlyGathering) {
            send(&lanes[index])
            lanes[index].didSend()
        }
        assert(!lanes.contains { $0.isToBeSent(onlyGathering: onlyGathering) }, "something is left to send")
        assert(areInOrder, "a member of a lane cannot be found")
    }

    /// Whether lanes, and the members of each, are in the order of their numbers, by which they are found.
    private var areInOrder: Bool {
        zip(lanes, lanes.dropFirst()).allSatisfy { $0.number < $1.number }
            && lanes.allSatisfy { lane in
                !lane.members.isEmpty
                    && zip(lane.members, lane.members.dropFirst()).allSatisfy { $0.number < $1.number }
            }
    }

    // MARK: what the device has to do

    /// A call begins or ends to wait for the next sample.
    public mutating func countWaitingRead(_ change: Int) { waitingReads += change }

    /// What its device should do, for each of its clients.
    var wishes: [Demand] {
        let (limits, quantity) = (limits, quantity)
        // By index: a lane is large, and there may be one for each client.
        var wishes = lanes.indices.map { index in
            let grant = lanes[index].grant
            return Demand(
                intervalNanoseconds: grant.wish(within: limits), latencyNanoseconds: grant.batchNanoseconds,
                kinds: KindSet(of: [quantity]), changes: grant.change(of: kind).map { [quantity: $0] } ?? [:])
        }
        if waitingReads > 0 {
            wishes.append(Demand(intervalNanoseconds: limits.defaultNanoseconds, kinds: KindSet(of: [quantity])))
        }
        return wishes
    }

    // MARK: time

    /// When something is due without a new sample; nil: never.
    public var deadline: BootTime? {
        mutating get {
            if !isDeadlineKnown {
                knownDeadline = earliestDeadline()
                isDeadlineKnown = true
            }
            assert(knownDeadline == earliestDeadline(), "what a deadline depends on has changed unnoticed")
            return knownDeadline
        }
    }

    private func earliestDeadline() -> BootTime? {
        let pace = pace
        var earliest: BootTime?
        for index in sleepers.awake { earliest = BootTime.earlier(earliest, lanes[index].deadline(pace: pace)) }
        // All sleeping lanes hold the last sample.
        if let due = sleepers.firstDue {
            earliest = BootTime.earlier(earliest, max(due, lastArrival + pace.silenceNanoseconds))
        }
        return BootTime.earlier(earliest, undelivered.deadline(pace))
    }

    /// The deadline has come.
    public mutating func expire(now: BootTime) {
        let pace = pace
        wake(dueBy: now)
        for index in sleepers.awake { lanes[index].expire(now: now, pace: pace) }
    }

    private mutating func deviceLost(_ cause: Gap.Cause) {
        guard let newest else { return }
        wakeAll()
        for index in lanes.indices { lanes[index].loseDevice(after: newest.timestamp) }
        loss = (loss?.from ?? newest.timestamp, cause)
        isServing = false
    }

    private mutating func tellLoss(until: BootTime) {
        guard let (from, cause) = loss else { return }
        loss = nil
        hand(Gap(cause: cause, count: nil, from: from, until: max(from, until)))
    }
}
