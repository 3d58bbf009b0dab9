public import Readings

/// All subscriptions to one resource with equal grants: decimated once, encoded once, sent to each.
///
/// The way of a sample through a lane: `offer` passes it to the reducer, checks whether it is due, applies the minimum change,
/// and gathers the reading into the batch. When a reply is complete, `hasOutgoing` is true, and the sink encodes `readings` and
/// `gaps` once and sends them to each member. Time comes in as an argument.
public struct Lane: Sendable {
    /// Counted up with each lane of its resource, which keeps them in this order.
    public let number: Int
    /// The grant of all members.
    public let grant: Grant
    /// The clients.
    public var members: [Member] = []
    /// The readings of the reply that is being gathered, or that is complete.
    public var readings: SampleList { batch.readings }
    /// The gaps to send with them.
    public var gaps: [Gap] { batch.gaps }
    /// Whether there is a complete reply to send now.
    public var hasOutgoing: Bool { batch.isComplete }
    /// The last reading that was sent; readings still being gathered do not count.
    public private(set) var newest: Sample?

    private var due: DueTimes
    /// Due times that were given before the first sample, which continues them.
    private var plannedDue: DueTimes?
    private var reducer: Reducer
    /// When the newest sample that is held back arrived; nil if none is.
    private var heldSince: BootTime?
    private var lastChanged: Measurement?
    private var batch: Batch

    /// Whether its readings are gathered into batches.
    public var isGathering: Bool { grant.batchNanoseconds > 0 }
    /// Whether anything has been gathered for the next reply.
    public var hasContent: Bool { !batch.isEmpty }
    /// Whether it has a complete reply and, if only gathering lanes are wanted, gathers.
    func isToBeSent(onlyGathering: Bool) -> Bool { hasOutgoing && (!onlyGathering || isGathering) }

    /// An empty lane on the grid of an anchor.
    public init(grant: Grant, anchor: BootTime?, number: Int = 0) {
        self.number = number
        self.grant = grant
        batch = Batch(grant, anchor: anchor)
        due = DueTimes(intervalNanoseconds: grant.intervalNanoseconds, anchor: anchor)
        reducer = Reducer(grant.filter)
    }

    /// A sample arrived.
    public mutating func offer(_ sample: Sample, now: BootTime, pace: Pace) {
        batch.latencyNanoseconds = pace.latencyNanoseconds
        if plannedDue != nil { plannedDue = nil }
        reducer.add(sample)
        if due.isDue(sample.timestamp, period: pace.periodNanoseconds, wasDecimated: pace.isDecimated) {
            release(dueAt: sample.timestamp, pace)
        } else {
            heldSince = now
        }
    }

    /// A sample arrived; where all that would follow is that it is held, the lane sleeps through it and returns when it is due.
    mutating func offerUnlessAsleep(_ sample: Sample, now: BootTime, pace: Pace) -> BootTime? {
        if grant.filter == .newest, !hasOutgoing, batch.end == nil, plannedDue == nil,
            let next = due.waits(at: sample.timestamp, period: pace.periodNanoseconds)
        {
            return next
        }
        offer(sample, now: now, pace: pace)
        return nil
    }

    /// Wakes, and holds the last of the samples that it has slept through, as if it had held each until the next.
    mutating func wake(holding sample: Sample, since arrival: BootTime, pace: Pace) {
        batch.latencyNanoseconds = pace.latencyNanoseconds
        reducer.add(sample)
        due.passOver(upTo: sample.timestamp)
        heldSince = arrival
    }

    /// How many samples it can take before a reply is complete; nil: each sample has to be offered by itself.
    func room(_ pace: Pace) -> LaneRoom? {
        guard plannedDue == nil, !isToBeSent(onlyGathering: true) else { return nil }
        guard due.takesAll(pace.periodNanoseconds) else {
            // Samples are held, each until the next, up to the one that is due.
            return due.next.map { LaneRoom(count: .max, before: $0 + -((pace.periodNanoseconds ?? 0) / 2)) }
        }
        guard grant.filter == .newest, grant.minimumChange == nil else { return nil }
        return batch.room(step: step(pace))
    }

    mutating func take(_ run: SampleRun, _ range: Range<Int>, now: BootTime, pace: Pace) {
        batch.latencyNanoseconds = pace.latencyNanoseconds
        let period = pace.periodNanoseconds
        var hasTaken = false
        var rest = range
        let first = range.dropLast()
        if due.pass(run, first, period: period, wasDecimated: pace.isDecimated) {
            batch.append(run, first)
            hasTaken = !first.isEmpty
            rest = first.upperBound..<range.upperBound
        }
        var held: Int?
        for index in rest {
            let timestamp = run.timestamp(at: index)
            guard due.isDue(timestamp, period: period, wasDecimated: pace.isDecimated) else {
                if grant.filter == .mean { reducer.add(run[index]) }
                held = index
                continue
            }
            due.advance(past: timestamp, period: period)
            batch.append(run[index])
            hasTaken = true
            held = nil
        }
        if hasTaken {
            reducer.clear()
            heldSince = nil
        }
        if let held {
            if grant.filter == .newest { reducer.add(run[held]) }
            heldSince = max(now, run.timestamp(at: held))
        }
    }

    /// Samples are missing: for a lane that takes every sample all of them count, for others those that were due.
    public mutating func offer(_ gap: Gap, pace: Pace) {
        var gap = gap
        if gap.cause.isOutage { forgetChange() }
        if !due.takesAll(pace.periodNanoseconds) {
            gap.count = due.skip(upTo: gap.until, period: pace.periodNanoseconds)
        }
        guard gap.count != 0 else { return }
        // Nobody knows how many of them would have moved enough.
        if grant.minimumChange != nil { gap.count = nil }
        batch.add(gap)
    }

    /// When the lane has something to do without a new sample; nil: never.
    public func deadline(pace: Pace) -> BootTime? {
        BootTime.earlier(silentAt(pace), batch.end)
    }

    /// The deadline has come: the held sample goes out because the source fell silent, or the batch's time is over.
    public mutating func expire(now: BootTime, pace: Pace) {
        if let silent = silentAt(pace), now >= silent { release(dueAt: due.next ?? now, pace) }
        if let end = batch.end, now >= end { closeBatch() }
    }

    /// Completes the batch, even if it is short: its time is over, or the device goes away.
    public mutating func closeBatch() { batch.close() }

    /// The reply was sent to each member.
    public mutating func didSend() {
        newest = readings.last ?? newest
        batch.didSend()
    }

    /// Removes a member, with all that it needs to continue in another lane.
    ///
    /// What was gathered for the member has been sent before.
    mutating func dismiss(_ index: Int) -> Member {
        var member = members.remove(at: index)
        member.didSee(newest)
        member.didSee(readings.last)
        return member
    }

    /// When the lane's next reading is due; nil: at once.
    public var nextDue: BootTime? { (plannedDue ?? due).next }

    // Mutating, though it changes nothing: a getter, or an initializer that takes a lane, would copy 1,500 bytes of it.
    /// What it has gathered.
    public mutating func makeMessage() -> LaneMessage {
        LaneMessage(of: number, grant, batch.readings, batch.gaps, nextDue: nextDue)
    }

    mutating func makeMessage(alone reading: Sample) -> LaneMessage {
        LaneMessage(of: number, grant, [reading], [], nextDue: nextDue, isAlone: true)
    }

    /// Before the first sample: when a reading is due next, on a grid.
    mutating func plan(_ nextDue: BootTime, on grid: BootTime?) {
        plannedDue = DueTimes(intervalNanoseconds: grant.intervalNanoseconds, anchor: grid, next: nextDue)
    }

    /// The first member had its last reading in another lane: the next one is due about an interval later.
    ///
    /// `isReopening`: the device has yielded nothing since, and the first sample continues these due times.
    mutating func begin(after lastDue: BootTime, newest: BootTime?, isReopening: Bool) {
        due.begin(after: lastDue, newest: newest)
        if isReopening { plannedDue = due }
    }

    /// The first member got a reading alone: the next one is due an interval later.
    mutating func didDeliverAlone(_ sample: Sample, pace: Pace) {
        lastChanged = sample.measurement
        if grant.minimumChange == nil {
            due.advance(past: sample.timestamp, period: pace.periodNanoseconds)
        } else {
            due.restart(at: sample.timestamp)
        }
    }

    /// Measures the minimum change from what its only member received before it joined.
    mutating func continueChange(from measurement: Measurement) { lastChanged = measurement }

    /// The device did not run for a while: what it measures now counts as a change, whatever it is.
    private mutating func forgetChange() {
        lastChanged = nil
        for index in members.indices { members[index].forgetMeasurement() }
    }

    func hasMoved(to measurement: Measurement) -> Bool {
        guard let minimumChange = grant.minimumChange, let lastChanged else { return true }
        return !(Change.between(lastChanged, measurement) < minimumChange)
    }

    /// Why nothing follows from most samples; nil: something may follow from any.
    ///
    /// A lane that sleeps holds this sample. `derived` returns this for a derivation.
    func grounds(holding slept: Sample?, _ derived: (DerivationIndex) -> Indifference.Ground?) -> [Indifference.Ground]?
    {
        guard grant.filter == .newest, plannedDue == nil, batch.isOver, let grounds = grounds(derived)
        else { return nil }
        // What it holds goes out when it is due, unless nothing follows from that either.
        let held = slept ?? (heldSince == nil ? nil : reducer.newest)
        return held.map { sample in grounds.allSatisfy { $0.covers(sample.measurement) } } ?? true ? grounds : nil
    }

    /// Whether there may be such grounds: whoever is not a derivation and asks for no minimum change gets each reading that is due.
    var mayBeIndifferent: Bool { grant.minimumChange != nil || members.isEmpty || followsDerivation }

    /// Whether such grounds depend on a derivation, too, and not on the lane alone.
    var followsDerivation: Bool {
        guard grant.minimumChange == nil, let first = members.first else { return false }
        if case .derivation = first.client { return true }
        return false
    }

    private func grounds(_ derived: (DerivationIndex) -> Indifference.Ground?) -> [Indifference.Ground]? {
        if let minimumChange = grant.minimumChange {
            return lastChanged.map { [.unmoved(from: $0, by: minimumChange)] }
        }
        var grounds: [Indifference.Ground] = []
        for member in members {
            guard case .derivation(let index) = member.client, let ground = derived(index) else { return nil }
            grounds.append(ground)
        }
        return grounds
    }

    /// The device is lost: what was gathered, and what is still held, goes out before the samples of another opening.
    mutating func loseDevice(after newest: BootTime) {
        batch.loseDevice()
        for index in members.indices { members[index].loseDevice(after: newest) }
    }

    /// The device was opened again: the next sample is due, and its time is the grid's anchor, unless planned due times continue.
    mutating func restart(on grid: BootTime?) {
        for index in members.indices { members[index].didSee(newest) }
        reducer.clear()
        heldSince = nil
        newest = nil
        batch.restart()
        due = plannedDue ?? DueTimes(intervalNanoseconds: grant.intervalNanoseconds, anchor: grid)
        for index in members.indices { members[index].restartSequence() }
    }

    /// The source is silent when nothing followed the held sample; then that sample is due at the due time at the latest.
    private func silentAt(_ pace: Pace) -> BootTime? {
        guard let heldSince, let next = due.next else { return nil }
        return max(next, heldSince + pace.silenceNanoseconds)
    }

    private mutating func release(dueAt instant: BootTime, _ pace: Pace) {
        heldSince = nil
        let newest = reducer.newest?.timestamp
        guard grant.minimumChange != nil else {
            due.advance(past: instant, delivering: newest, period: pace.periodNanoseconds)
            if let reading = reducer.reduce() { gather(reading, pace) }
            return
        }
        guard let reading = reducer.reduce() else { return }
        guard hasMoved(to: reading.measurement) else {
            // Both conditions have to hold: the newest stays due until it has moved, a mean needs an interval of its own.
            if grant.filter == .mean { due.restart(past: instant, delivering: nil, period: pace.periodNanoseconds) }
            return
        }
        lastChanged = reading.measurement
        due.restart(past: instant, delivering: newest, period: pace.periodNanoseconds)
        gather(reading, pace)
    }

    // The reading is moved and not copied: batches take thousands a second.
    private mutating func gather(_ reading: consuming Sample, _ pace: Pace) {
        if isGathering, !grant.hasSatellites { reading.dropSatellites() }
        batch.gather(reading, step: step(pace))
    }

    /// From one reading to the next.
    private func step(_ pace: Pace) -> Int64 { max(grant.intervalNanoseconds, pace.periodNanoseconds ?? 0) }
}

/// How many samples a lane can take at once, and that all are older than an instant.
struct LaneRoom {
    var count: Int
    var before: BootTime

    mutating func formIntersection(_ other: LaneRoom) {
        (count, before) = (min(count, other.count), min(before, other.before))
    }
}

extension Sample {
    /// Drops the list of satellites, which may be longer than all the rest, before the sample is kept for clients that do not
    /// ask for the list.
    mutating func dropSatellites() {
        guard case .location(var location) = measurement, location.satellites != nil else { return }
        location.satellites = nil
        measurement = .location(location)
    }
}
