public import Readings

/// A resource as its clients see it: its state, its newest reading, its lanes, and what it needs from its device.
///
/// Pure: samples, states and the time come in as arguments. After each call, lanes with `hasOutgoing` have a reply to
/// send, `wishes` are what its device should do for it, and `deadline` is when `expire` must be called if nothing else happens.
public struct Resource: ~Copyable, Sendable {
    /// The resource's name.
    public let name: ResourceName
    /// What it measures.
    public let kind: Kind
    /// At which of its device's inputs for the kind.
    public internal(set) var input: UInt8
    /// The resource's state.
    public private(set) var state: ResourceState = .idle
    /// What the device can do; nil until that is known.
    public private(set) var profile: DeviceProfile? { didSet { isDeadlineKnown = false } }
    /// The newest sample of an open device.
    public var newest: Sample? { latest.isServing ? latest.sample : nil }
    /// The lanes, one for each distinct grant.
    public internal(set) var lanes = Lanes() { didSet { isDeadlineKnown = false } }
    /// Whether somebody asks for it.
    public var isWanted: Bool { !lanes.isEmpty || waitingReads > 0 }
    /// Calls that wait for one sample, each of which counts as a subscriber.
    public private(set) var waitingReads = 0
    /// What clients miss since the device was lost, reported with the next sample; nil: it is not lost.
    public private(set) var loss: Interruption?
    /// How long its device may hold samples back; the device determines this for all its resources.
    var latencyNanoseconds: Int64 = 0 {
        willSet { if newValue != latencyNanoseconds { wakeAll() } }
        didSet { isDeadlineKnown = false }
    }
    /// The newest sample, for clients that changed their request before they had seen it; the next sample replaces it.
    private(set) var undelivered = Undelivered() { didSet { isDeadlineKnown = false } }
    private var latest = NewestSample()
    private var ownGrid = Grid()
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

    /// The device, the driver and the input, as text for people.
    public var description: String? { profile?.description(of: quantity) }

    /// The intervals that the administrator has configured; grants that this changes are made again.
    public var intervalPolicy = IntervalPolicy()

    /// The intervals that it grants.
    public var limits: IntervalLimits { IntervalLimits(kind: kind, offered: profile?.offered, policy: intervalPolicy) }

    /// The present interval of the device; nil while it is closed, or if it does not report one.
    public var deviceIntervalNanoseconds: Int64? {
        state == .idle || !state.isAvailable ? nil : profile?.intervalNanoseconds
    }

    /// How its device delivers at present.
    public var pace: Pace {
        Pace(
            periodNanoseconds: profile?.intervalNanoseconds,
            latencyNanoseconds: latencyNanoseconds,
            isDecimated: profile?.isDecimated ?? false)
    }

    /// The origin of the grid of due times; nil if it has delivered nothing yet, or its device is lost.
    public var grid: BootTime? { newest == nil ? ownGrid.planned : ownGrid.anchor }

    /// When a lane's next reading is due; nil if its due times do not continue: the rhythm of a lost device is lost with it, and a
    /// lane with a minimum change has a grid of its own.
    public func nextDue(ofLane index: LaneIndex) -> BootTime? {
        grid != nil && lanes[index].grant.isShared ? lanes[index].nextDue : nil
    }

    /// Before its device has yielded anything: what its clients have missed so far, and the grid that the first sample continues.
    public mutating func resume(after loss: Interruption?, grid: BootTime?) {
        assert(latest.sample == nil, "a resource that has delivered has a grid of its own")
        self.loss = loss
        ownGrid.plan(grid)
    }

    // MARK: events of the device

    /// A sample arrived.
    ///
    /// Returns whether some lane has completed a batch, which goes out before the next sample is taken.
    @discardableResult
    public mutating func accept(_ sample: Sample, now: BootTime) -> Bool {
        // A sample may arrive after the turn began; counted as older than it is, its source would seem silent too soon.
        let arrival = max(now, sample.timestamp)
        let pace = pace
        lanes.wake(for: sample.timestamp, holding: latest, pace)
        latest.take(sample, arrival: arrival)
        undelivered.overtake()
        ownGrid.begin(at: sample.timestamp)
        reportLoss(until: sample.timestamp)
        return lanes.offer(sample, now: arrival, pace: pace)
    }

    /// How many samples of a run, from a certain one on, do nothing but go into lanes: they wake none, complete no batch, end no outage
    /// and begin no grid.
    func quietCount(of run: SampleRun, from start: Int) -> Int {
        guard latest.isServing, loss == nil, ownGrid.anchor != nil, let last = latest.sample,
            let room = lanes.room(for: run, from: start, pace)
        else { return 0 }
        // Where the clock jumps back, a new grid begins.
        return run.countInOrder(start..<start + max(0, room.count), from: last.timestamp, before: room.before)
    }

    /// Takes samples that `quietCount` has counted.
    mutating func acceptQuiet(_ run: SampleRun, _ range: Range<Int>, now: BootTime) {
        assert(range.count <= quietCount(of: run, from: range.lowerBound), "something follows from these samples")
        let newest = run[range.upperBound - 1]
        latest.take(newest, arrival: max(now, newest.timestamp))
        undelivered.overtake()
        ownGrid.begin(at: newest.timestamp)
        lanes.take(run, range, now: now, pace: pace)
    }

    /// Wakes all lanes, because something other than a sample follows.
    private mutating func wakeAll() { lanes.wakeAll(holding: latest, pace) }

    /// Takes over the grid that another resource of the device has begun, unless there are lanes already: they begin a grid with
    /// their first sample, which nearly always belongs to the same scan.
    mutating func follow(_ grid: BootTime) { if lanes.isEmpty { ownGrid.follow(grid) } }

    /// Samples were lost before they arrived.
    public mutating func accept(_ gap: Gap) {
        // A device that reports the loss itself, before it is opened again, knows more about it.
        if latest.sample != nil, loss?.cause == gap.cause { loss = nil }
        reportLoss(until: gap.from)
        hand(gap)
    }

    private mutating func hand(_ gap: Gap) {
        wakeAll()
        lanes.offer(gap, pace: pace)
    }

    /// The device's properties, or how it runs, are as given; returns whether that has changed.
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
        latest.restart()
        ownGrid.restart()
        undelivered.overtake()
        lanes.restart(on: ownGrid.anchor)
    }

    /// The device may be another one from now on: later samples belong to another opening, and what it held is lost.
    ///
    /// The caller has sent what the lanes had outgoing.
    public mutating func deviceReplaced() { deviceLost(.reconfigured) }

    /// The device has this state; returns whether it has changed.
    public mutating func accept(_ state: ResourceState) -> Bool {
        guard state != self.state else { return false }
        switch state {
        case .unavailable: deviceLost(.deviceLost)
        case .released: deviceLost(.released)
        case .idle where lanes.isEmpty:
            latest.loseDevice()
            loss = nil
        // The device was about to be closed when a client subscribed; it is opened again.
        case .idle: deviceLost(.reconfigured)
        case .warm, .starting, .active, .stale: break
        }
        self.state = state
        return true
    }

    // MARK: what clients are sent

    /// Whether some lane has a complete reply; if requested, only of the lanes that gather.
    public func hasOutgoing(onlyGathering: Bool = false) -> Bool {
        lanes.hasOutgoing(onlyGathering: onlyGathering)
    }

    /// Has each lane's complete reply sent to its members; if requested, only of the lanes that gather.
    ///
    /// This is one access to the lanes for all members of all of them: `send` must not use this resource.
    public mutating func sendOutgoing(onlyGathering: Bool = false, _ send: (inout Lane) -> Void) {
        lanes.sendOutgoing(onlyGathering: onlyGathering, send)
    }

    // MARK: what the device has to do

    /// A call begins or ends to wait for the next sample.
    public mutating func countWaitingRead(_ change: Int) {
        waitingReads += change
        assert(waitingReads >= 0, "a call ends to wait that did not begin")
    }

    /// What the device should do: one wish for all lanes, and one for the calls that wait.
    var wishes: [Demand] {
        let (limits, kinds) = (limits, KindSet(of: [quantity]))
        var wishes: [Demand] = []
        if let wish = lanes.wish(within: limits, of: kind) {
            wishes.append(
                Demand(
                    intervalNanoseconds: wish.intervalNanoseconds, latencyNanoseconds: wish.latencyNanoseconds,
                    kinds: kinds, changes: wish.change.map { [quantity: $0] } ?? [:]))
        }
        if waitingReads > 0 {
            wishes.append(Demand(intervalNanoseconds: limits.defaultNanoseconds, kinds: kinds))
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
        BootTime.earlier(lanes.deadline(holding: latest, pace), undelivered.deadline(pace))
    }

    /// The deadline has come.
    public mutating func expire(now: BootTime) { lanes.expire(now: now, holding: latest, pace: pace) }

    private mutating func deviceLost(_ cause: Gap.Cause) {
        guard let newest else { return }
        wakeAll()
        lanes.loseDevice(after: newest.timestamp)
        loss = Interruption(from: loss?.from ?? newest.timestamp, cause: cause)
        latest.loseDevice()
    }

    private mutating func reportLoss(until: BootTime) {
        guard let loss else { return }
        self.loss = nil
        hand(Gap(cause: loss.cause, count: nil, from: loss.from, until: max(loss.from, until)))
    }

    // MARK: clients

    /// Adds a client to the lane of its grant.
    ///
    /// A new lane begins with the next sample, or about an interval after the client's last reading in its former lane.
    ///
    /// Returns the newest reading if it is due to the client right away: it is no older than the client's interval, and the
    /// client has not seen it. The caller notes in the member what became of it.
    public mutating func join(_ client: Client, _ grant: Grant, now: BootTime, inheriting former: Member? = nil)
        -> Sample?
    {
        let index = laneIndex(for: grant)
        // Lanes may still hold samples of a lost device.
        var member = Member(
            client: client, since: now, intervalNanoseconds: grant.isTap ? 0 : grant.intervalNanoseconds,
            newest: latest.sample,
            outage: loss?.from)
        if let former { member.inherit(former) }
        if let former { lanes.discount(former, hasLeft: true) }
        if let lastDue = former?.lastDue, lanes[index].members.isEmpty {
            lanes[index].begin(after: lastDue, newest: latest.sample?.timestamp, isReopening: ownGrid.planned != nil)
        }
        let isNewLane = lanes[index].members.isEmpty
        lanes.add(member, to: index)
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
        former.hasNotSeen(newest) && grant.filter == .newest
            && former.lastDue.map { newest.timestamp - $0 >= grant.intervalNanoseconds } ?? true
    }

    private mutating func keepUndelivered(from former: Member, in lane: Lane) {
        guard let newest, former.hasNotSeen(newest), lane.grant.filter == .newest,
            lane.hasMoved(to: newest.measurement)
        else { return }
        let next = former.lastDue.map { $0 + lane.grant.intervalNanoseconds } ?? latest.arrival
        undelivered.keep(newest, for: former.client, arrival: latest.arrival, notBefore: next)
    }

    /// The readings that clients have not seen since they changed their requests, and that no other reading has followed.
    public mutating func takeUndelivered(now: BootTime) -> [(client: Client, reading: Sample)] {
        let due = undelivered.take(now: now, pace)
        guard !due.isEmpty else { return [] }
        wakeAll()
        // The next change counts from what is sent now.
        for (client, reading) in due {
            guard let lane = lanes.position(of: client)?.lane, !lanes[lane].grant.isShared else { continue }
            lanes[lane].didDeliverAlone(reading, pace: pace)
        }
        return due
    }

    /// Takes a client out of its lane and returns its account.
    ///
    /// The caller has sent it what the lane has gathered.
    public mutating func leave(_ client: Client) -> Member? { leave([client])[client] }

    /// Takes clients out of their lanes and returns their accounts.
    public mutating func leave(_ clients: [Client]) -> [Client: Member] {
        for client in clients { undelivered.forget(client) }
        return lanes.remove(clients)
    }

    /// What a client has received, and what is still to be reported to it.
    public func account(of client: Client) -> ClientAccount? {
        guard let (lane, member) = lanes.position(of: client) else { return nil }
        var account = lanes[lane].members[member].account(nextDue: nextDue(ofLane: lane))
        if let newest { account.witness(newest.timestamp) }
        return account
    }

    /// Puts a client into the lane of its grant with the account that it had elsewhere, less what the caller reports as missed.
    public mutating func resume(_ client: Client, _ grant: Grant, _ account: ClientAccount, missing missed: Gap? = nil)
    {
        let index = laneIndex(for: grant)
        // What was counted elsewhere does not count here.
        lanes.discount(Member(client, account), hasLeft: false)
        var account = account
        if let missed { account.losses.add(missed) }
        wakeAll()
        lanes.add(Member(client, account, intervalNanoseconds: grant.intervalNanoseconds), to: index)
        if let nextDue = account.nextDue { lanes[index].plan(nextDue, on: ownGrid.planned) }
    }

    private mutating func laneIndex(for grant: Grant) -> LaneIndex {
        lanes.index(of: grant) ?? lanes.add(grant, anchor: ownGrid.origin)
    }

    /// Why nothing follows from most samples, for all lanes; nil: something may follow from any.
    func grounds(_ derived: (DerivationIndex) -> Indifference.Ground?) -> [Indifference.Ground]? {
        guard newest != nil, ownGrid.anchor != nil, loss == nil, waitingReads == 0, undelivered.isEmpty else {
            return nil
        }
        return lanes.grounds(holding: latest, derived)
    }
}
