public import Readings

/// A resource together with its device, and the way of its readings to clients.
public final class OwnedResource {
    /// The resource's name.
    public let name: ResourceName
    /// What it measures.
    public let kind: Kind
    /// The same, and at which of its device's inputs.
    public private(set) var quantity: Quantity
    /// The resource's index among all those of a broker.
    public let index: ResourceIndex
    /// Decides which client gets which reading, and when.
    @inlinable public var core: Resource {
        _read { yield storage }
        _modify {
            noteChange()
            yield &storage
        }
    }
    /// Calls that wait for a new sample.
    public var reads: [WaitingRead] { waiting }
    /// The time of the newest sample that lanes got; nil: there has been none.
    public var lastSample: BootTime? { newestTime }
    /// A client subscribed while the device was running for other resources, and no sample of this one has arrived since.
    var isAwaitingFirst = false { didSet { change.set() } }
    /// Whether it was requested when its device was last settled.
    var wasWanted = false
    /// Why nobody gets its samples, although its device runs.
    var withheld: String?
    /// The device that owns it.
    public internal(set) weak var device: Device?

    /// What `core` gives access to; used directly only where nothing changes that anybody sees.
    @usableFromInline var storage: Resource
    /// That of its device, once it has one.
    var change = ChangeMark()

    // Each sample reads these, so they are private and only assigned (`Array.adding`).
    private var waiting: [WaitingRead] = []
    private var newestTime: BootTime?
    /// Until when a former device has measured, as long as the present one has yielded nothing later; nil: there is no such time.
    private var formerUntil: BootTime?

    /// A resource that no device owns yet.
    public init(_ core: consuming Resource, at index: ResourceIndex) {
        (name, kind, quantity) = (core.name, core.kind, core.quantity)
        storage = core
        self.index = index
    }

    @usableFromInline func noteChange() { change.set() }

    /// Whether a mock or a replay makes its samples.
    public var isSimulated: Bool { core.profile?.simulated ?? device?.isSimulated ?? false }

    /// The resource has been found at another input than was thought.
    public func move(to input: UInt8) {
        quantity = Quantity(kind, input: input)
        core.input = input
    }

    /// It is about to get another device, whose samples begin where those of this one end.
    public func leaveDevice() { formerUntil = newestTime }

    /// Whether a sample is later than those of a former device: what both have measured counts once.
    func follows(_ sample: Sample) -> Bool {
        guard let end = formerUntil else { return true }
        guard sample.timestamp > end else { return false }
        formerUntil = nil
        return true
    }

    /// A sample of its kind arrived; returns whether some lane has completed a batch.
    func accept(_ sample: Sample, now: BootTime) -> Bool {
        isAwaitingFirst = false
        newestTime = newestTime.map { max($0, sample.timestamp) } ?? sample.timestamp
        return core.accept(sample, now: now)
    }

    /// How many samples of a run, from a certain one on, only fill lanes: nothing is due to anybody, or reported, because of them.
    func quietCount(of run: SampleRun, from start: Int) -> Int {
        isAwaitingFirst || formerUntil != nil || !waiting.isEmpty ? 0 : core.quietCount(of: run, from: start)
    }

    /// Takes samples that only fill lanes.
    func acceptQuiet(_ run: SampleRun, _ range: Range<Int>, now: BootTime) {
        let latest = run.timestamp(at: range.upperBound - 1)
        newestTime = newestTime.map { max($0, latest) } ?? latest
        core.acceptQuiet(run, range, now: now)
    }

    // MARK: from lanes to clients

    /// Sends each lane's outgoing reply to its members; if requested, only of the lanes that gather.
    public func fanOut(to sink: some Sink, onlyGathering: Bool = false, now: BootTime) {
        guard core.hasOutgoing(onlyGathering: onlyGathering) else { return }
        sink.willSend(from: self, onlyGathering: onlyGathering, now: now)
        core.sendOutgoing(onlyGathering: onlyGathering) { lane in
            sink.send(lane.makeMessage(), to: &lane.members, of: self, now: now)
        }
        sink.didSend(from: self, onlyGathering: onlyGathering, now: now)
    }

    /// Sends all that has been gathered, complete or not: nothing more will come.
    public func sendRest(to sink: some Sink, now: BootTime) {
        // After a batch that is over, the first reading of the next one may be waiting.
        for _ in 0..<2 {
            core.lanes.closeBatches()
            fanOut(to: sink, now: now)
        }
    }

    // MARK: one client

    /// Adds a client to the lane of its grant, with its account from another lane, and sends it the newest reading if that is
    /// due at once.
    ///
    /// The caller settles the device.
    public func join(_ client: Client, _ grant: Grant, inheriting former: Member?, to sink: some Sink, now: BootTime) {
        let first = core.join(client, grant, now: now, inheriting: former)
        if let first { sendAlone(first, to: client, sink, now: now) }
    }

    /// Removes a client from its lane, after sending it what the lane had gathered; returns its account.
    public func leave(_ client: Client, to sink: some Sink, now: BootTime) -> Member? {
        leave([client], to: sink, now: now)[client]
    }

    /// The same for many.
    public func leave(_ clients: [Client], to sink: some Sink, now: BootTime) -> [Client: Member] {
        for client in clients { sendGathered(to: client, sink, now: now) }
        return core.leave(clients)
    }

    /// Sends a client that leaves what its lane has gathered so far; the batch of the others continues.
    public func sendGathered(to client: Client, _ sink: some Sink, now: BootTime) {
        _ = core.lanes.withLane(of: client) { lane, member in
            if lane.hasContent { send(lane.makeMessage(), to: &lane.members[member], sink, now: now) }
        }
    }

    /// The client's socket has room again: reports what it missed, and sends the newest reading if that was missed too.
    public func catchUp(_ client: Client, _ sink: some Sink, now: BootTime) {
        let missed = core.lanes.withLane(of: client) { lane, member in
            (lane.members[member].catchUp(with: lane.newest), lane.grant.hasSatellites)
        }
        guard let ((gaps, reading), hasSatellites) = missed, !gaps.isEmpty || reading != nil else { return }
        sink.sendMissed(gaps, reading, of: self, withSatellites: hasSatellites, to: client, now: now)
    }

    /// Reports to a client what it missed, without the newest reading, since its stream ends.
    public func sendGaps(to client: Client, _ sink: some Sink, now: BootTime) {
        let gaps = core.lanes.withLane(of: client) { lane, member in lane.members[member].catchUp(with: nil).gaps }
        guard let gaps, !gaps.isEmpty else { return }
        sink.sendMissed(gaps, nil, of: self, withSatellites: false, to: client, now: now)
    }

    /// Like any other reading, it is lost and reported in a gap if the client's socket is full.
    private func sendAlone(_ reading: Sample, to client: Client, _ sink: some Sink, now: BootTime) {
        _ = core.lanes.withLane(of: client) { lane, member in
            send(lane.makeMessage(alone: reading), to: &lane.members[member], sink, now: now)
        }
    }

    private func send(_ message: LaneMessage, to member: inout Member, _ sink: some Sink, now: BootTime) {
        var only = [member]
        sink.send(message, to: &only, of: self, now: now)
        member = only[0]
    }

    // MARK: time

    /// When something is due without a new sample; nil: never.
    public var deadline: BootTime? {
        // Nothing changes by asking, although the answer is kept.
        var earliest = storage.deadline
        for read in waiting { earliest = BootTime.earlier(earliest, read.deadline) }
        return earliest
    }

    /// Acts on the deadlines that have come.
    ///
    /// If the source fell silent, sends held samples, and those that clients had not seen when they changed their requests.
    /// Answers calls that have waited for too long.
    func expire(to sink: some Sink, now: BootTime) {
        if let deadline = storage.deadline, now >= deadline {
            core.expire(now: now)
            fanOut(to: sink, now: now)
            for (client, reading) in core.takeUndelivered(now: now) { sendAlone(reading, to: client, sink, now: now) }
        }
        finishReads(sink, now: now) { now >= $0.deadline ? .timedOut : nil }
    }

    // MARK: reads

    /// A call waits for the next sample, and counts as a request for the resource; the caller settles the device.
    public func wait(_ read: WaitingRead) {
        waiting = waiting.adding(read)
        core.countWaitingRead(1)
    }

    /// Ends all waiting calls: there will be no sample, for a reason.
    public func failReads(_ reason: String, to sink: some Sink, now: BootTime) {
        finishReads(sink, now: now) { _ in .failed(reason: reason) }
    }

    /// Ends the waiting calls for which there is an outcome.
    public func finishReads(_ sink: some Sink, now: BootTime, _ outcome: (WaitingRead) -> WaitingRead.Outcome?) {
        guard !waiting.isEmpty else { return }
        var finished: [(WaitingRead, WaitingRead.Outcome)] = []
        waiting = waiting.filter { read in
            guard let outcome = outcome(read) else { return true }
            finished.append((read, outcome))
            return false
        }
        guard !finished.isEmpty else { return }
        for (read, outcome) in finished { sink.answer(read, outcome, of: self, now: now) }
        core.countWaitingRead(-finished.count)
        assert(reads.count == core.waitingReads, "a call that waits is not counted")
        device?.settle(to: sink, now: now)
    }

    /// A sample answers the calls that were made before it was measured; all calls, if a reading of the kind holds until it
    /// changes.
    func serveReads(_ sample: Sample, to sink: some Sink, now: BootTime) {
        finishReads(sink, now: now) { read in
            sample.timestamp >= read.since || kind.row.reporting == .onChange ? .sample(sample) : nil
        }
    }
}

/// A call that waits for a sample measured after it.
public struct WaitingRead: Equatable, Sendable {
    /// The caller.
    public let connection: ConnectionToken
    /// When the caller called.
    public let since: BootTime
    /// When the caller is answered in any case.
    public let deadline: BootTime
    /// Whether it wants a location with its satellites.
    public let withSatellites: Bool

    /// A call.
    public init(connection: ConnectionToken, since: BootTime, deadline: BootTime, withSatellites: Bool = false) {
        (self.connection, self.since, self.deadline) = (connection, since, deadline)
        self.withSatellites = withSatellites
    }

    /// How it ends.
    public enum Outcome: Equatable, Sendable {
        case sample(Sample)
        /// There will be no sample, for a reason.
        case failed(reason: String)
        /// The time for the read is over.
        case timedOut
        /// The caller may not read the resource any more.
        case forbidden
        /// The caller is gone.
        case dropped
    }
}
