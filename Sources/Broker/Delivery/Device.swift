public import Readings

/// A device as the broker sees it: the resources that it owns, what they need from it together, and the state of each.
///
/// A device with several resources runs for those that are requested. The others are idle meanwhile, and their samples are
/// dropped. Pure: the device's events and the time come in as arguments.
public final class Device {
    /// The resources that it owns, in the order in which they came.
    public var resources: [OwnedResource] { owned }
    /// Whether a mock or a replay makes the samples, as far as is known before it was opened.
    public let isSimulated: Bool
    /// The state that its driver reported last.
    public var reported: ResourceState { lastReport }
    /// Why the driver no longer responds; nil: it does.
    public var hang: String? { hangReason }
    // Each sample reads these, so they are private and only assigned (`Array.adding`).
    private var owned: [OwnedResource] = [] { didSet { noteChange() } }
    private var lastReport = ResourceState.idle { didSet { noteChange() } }
    private var hangReason: String? { didSet { noteChange() } }
    private var profile: DeviceProfile?
    private var arbitration = Arbitration() { didSet { noteChange() } }
    /// The grid of the due times of all its resources, since it was opened.
    private var grid: BootTime?
    private let change = ChangeMark()

    /// A device without resources, which has not reported anything yet.
    public init(isSimulated: Bool = false) { self.isSimulated = isSimulated }

    /// What clients need from the device; nil: nobody asks for any of its resources.
    public var demand: Demand? { arbitration.demand }

    /// Whether somebody asks for one of its resources.
    public var isWanted: Bool { arbitration.isWanted }

    /// Whether it is open.
    public var isActive: Bool { if hang == nil, case .active = reported { true } else { false } }

    /// How many lanes its resources have.
    public var laneCount: Int { owned.reduce(0) { $0 + $1.core.lanes.count } }

    /// Whether it is missing or fails.
    public var isUnavailable: Bool { if case .unavailable = state { true } else { false } }

    /// What distinguishes it from other devices, wherever it is connected; nil: nothing, or that is not known yet.
    public var identity: String? { profile?.identity }

    /// Whether something may have changed, of the device or of one of its resources, since that was last forgotten.
    public var hasChanged: Bool { change.isSet }

    /// Something may have changed.
    public func noteChange() { change.set() }

    /// It counts as unchanged from now on.
    public func forgetChange() { change.clear() }

    /// From now on a list has it whenever it has changed, by its place among the devices of the list; nil: none has.
    public func noteChanges(in list: ChangedDevices?, at place: Int) { change.belong(to: list, at: place) }

    private var state: ResourceState { hang.map { .unavailable(reason: $0) } ?? reported }

    // MARK: what it owns

    /// Takes over a resource for something of which it has none yet; the resource may have belonged to another device.
    public func adopt(_ resource: OwnedResource) {
        assert(!owns(resource.quantity), "a device has one resource of a kind and input")
        if let former = resource.device { former.owned = former.owned.filter { $0 !== resource } }
        (resource.device, resource.change) = (self, change)
        resource.wasWanted = false
        owned = owned.adding(resource)
        if let profile { accept(profile, for: resource) }
        resource.core.latencyNanoseconds = demand?.latencyNanoseconds ?? 0
        if let grid { resource.core.follow(grid) }
    }

    /// Whether one of its resources is of a kind at an input.
    public func owns(_ quantity: Quantity) -> Bool { owned.contains { $0.quantity == quantity } }

    /// The resource that takes samples; nil: there is none, or nobody asks for it while the device runs for others.
    func taker(of quantity: Quantity) -> OwnedResource? {
        guard let resource = owned.count == 1 ? owned[0] : owned.first(where: { $0.quantity == quantity }),
            resource.quantity == quantity
        else { return nil }
        return isIdle(resource) || isAbsent(resource) ? nil : resource
    }

    /// The resources that are affected if samples of all its kinds are lost: those whose samples clients were to get.
    var losers: [OwnedResource] {
        owned.filter { $0.withheld == nil && !isIdle($0) && !isAbsent($0) && !$0.isAwaitingFirst }
    }

    // MARK: its events

    /// Takes its events in order: samples go to the lanes of their kind and on to clients, other events to all that they concern.
    public func take(_ events: [DeviceEvent], to sink: some Sink, now: BootTime) {
        var unsent = 0
        for event in events {
            sink.willTake(event, of: self, now: now)
            switch event {
            case .sample(let sample): take(sample, by: taker(of: sample.measurement.quantity), &unsent, sink, now)
            case .run(let run): take(run, &unsent, sink, now)
            case .gap(let gap): for resource in losers { resource.core.accept(gap) }
            case .missing(let gap, let quantity):
                if let taker = taker(of: quantity), taker.withheld == nil { taker.core.accept(gap) }
            case .profile(let profile): take(profile, sink, now)
            case .opened:
                fanOut(to: sink, now: now)
                opened()
                for resource in owned { sink.didOpen(resource, now: now) }
                // A resource whose first sample is awaited no longer is, if the device was in use before.
                reportStates(to: sink, now: now)
            case .replaced:
                fanOut(to: sink, now: now)
                for resource in owned { resource.core.deviceReplaced() }
            case .state(let state):
                lastReport = state
                reportStates(to: sink, now: now)
            case .failed(let reason, let isInPart):
                // Who waits for something else may have come after the attempt had begun: the next one is for that, too.
                for resource in owned where !isInPart || resource.withheld != nil {
                    resource.failReads(reason, to: sink, now: now)
                    sink.didFail(resource, reason: reason, now: now)
                }
            }
        }
        fanOut(to: sink, now: now)
    }

    private func take(
        _ sample: Sample, by resource: OwnedResource?, _ unsent: inout Int, _ sink: some Sink, _ now: BootTime
    ) {
        guard let resource, resource.follows(sample) else { return }
        guard resource.withheld == nil else { return derive(from: sample, of: resource, sink, now) }
        if resource.isAwaitingFirst {
            // The resource is active now; clients get that state before its first reading.
            resource.isAwaitingFirst = false
            reportStates(to: sink, now: now)
        }
        let hasBatch = accept(sample, for: resource, now: now)
        resource.serveReads(sample, to: sink, now: now)
        unsent += 1
        if unsent == Grant.readingsPerReply {
            fanOut(to: sink, now: now)
            unsent = 0
        } else if hasBatch {
            // Batches that end within one delivery go out one by one, so that none is longer than granted.
            resource.fanOut(to: sink, onlyGathering: true, now: now)
        }
    }

    /// Hands over a sample of which nobody gets more than what follows from its direction.
    private func derive(from sample: Sample, of resource: OwnedResource, _ sink: some Sink, _ now: BootTime) {
        if resource.isAwaitingFirst {
            resource.isAwaitingFirst = false
            sink.didChangeSource(resource, now: now)
        }
        sink.derive(from: sample, of: resource, now: now)
    }

    /// Takes samples that only fill lanes together, and each of the others by itself.
    private func take(_ run: SampleRun, _ unsent: inout Int, _ sink: some Sink, _ now: BootTime) {
        var start = 0
        while start < run.count {
            let room = grid == nil ? 0 : Grant.readingsPerReply - 1 - unsent
            let taker = taker(of: run.quantity)
            let quiet = min(room, taker?.quietCount(of: run, from: start) ?? 0)
            let range = start..<start + max(quiet, 1)
            sink.willTake(run, range, of: self, now: now)
            if quiet > 0 {
                taker?.acceptQuiet(run, range, now: now)
                unsent += quiet
            } else {
                take(run[start], by: taker, &unsent, sink, now)
            }
            start = range.upperBound
        }
    }

    /// The driver hangs, since it has not responded for so long; or it has come back, and its last reported state holds
    /// again.
    public func hang(_ reason: String?, to sink: some Sink, now: BootTime) {
        hangReason = reason
        reportStates(to: sink, now: now)
        guard let reason else { return }
        for resource in owned { resource.failReads(reason, to: sink, now: now) }
    }

    /// Sends the outgoing replies of all its resources' lanes.
    private func fanOut(to sink: some Sink, now: BootTime) {
        for resource in owned { resource.fanOut(to: sink, now: now) }
    }

    private func take(_ profile: DeviceProfile, _ sink: some Sink, _ now: BootTime) {
        guard accept(profile) else { return }
        for resource in owned {
            guard accept(profile, for: resource) else { continue }
            resource.fanOut(to: sink, now: now)
            sink.didChangeProfile(of: resource, now: now)
        }
        settle(to: sink, now: now)
        reportStates(to: sink, now: now)
    }

    /// Reports the state of each of its resources, if it has changed.
    public func reportStates(to sink: some Sink, now: BootTime) {
        for resource in owned {
            reportWithheld(resource, to: sink, now)
            let state = state(of: resource)
            guard state != resource.core.state else { continue }
            sink.willChangeState(of: resource, now: now)
            guard resource.core.accept(state) else { continue }
            resource.fanOut(to: sink, now: now)
            sink.didChangeState(of: resource, now: now)
        }
        assert(owned.allSatisfy { $0.core.state == state(of: $0) }, "a resource has another state than was reported")
    }

    /// What is derived from counts of unknown size follows the device's state; whoever waits for a reading gets the reason why none
    /// will come.
    private func reportWithheld(_ resource: OwnedResource, to sink: some Sink, _ now: BootTime) {
        // What the device lacks now may be there when it is opened for the call that waits.
        guard let reason = resource.withheld, !isAbsent(resource) else { return }
        sink.didChangeSource(resource, now: now)
        resource.failReads(reason, to: sink, now: now)
    }

    /// A resource has the properties of the device; returns whether they have changed.
    @discardableResult
    private func accept(_ profile: DeviceProfile, for resource: OwnedResource) -> Bool {
        resource.withheld = profile.withheld[resource.quantity]
        return resource.core.accept(profile)
    }

    /// Takes in the device's properties, and how it runs; returns whether that has changed.
    func accept(_ profile: DeviceProfile) -> Bool {
        guard profile != self.profile else { return false }
        self.profile = profile
        return true
    }

    /// The device was opened: from now on all requested kinds arrive, and their numbers begin at 0.
    func opened() {
        grid = nil
        for resource in owned {
            resource.isAwaitingFirst = false
            resource.core.deviceOpened()
        }
    }

    /// A sample arrived for the resource of its kind.
    ///
    /// Returns whether some lane of the resource has completed a batch.
    @discardableResult
    func accept(_ sample: Sample, for resource: OwnedResource, now: BootTime) -> Bool {
        let hasBatch = resource.accept(sample, now: now)
        guard grid == nil else { return hasBatch }
        grid = resource.core.grid
        if let grid { for other in owned where other !== resource { other.core.follow(grid) } }
        return hasBatch
    }

    /// The state of one of its resources.
    public func state(of resource: OwnedResource) -> ResourceState {
        let state = sourceState(of: resource)
        guard let reason = resource.withheld, state.isAvailable else { return state }
        return .unavailable(reason: reason)
    }

    /// The state for what is derived from one of its resources, for which counts of unknown size will do.
    public func sourceState(of resource: OwnedResource) -> ResourceState {
        let state = state
        guard state.isAvailable else { return state }
        if isAbsent(resource) {
            let words = "the device that is there now has no \(resource.kind.row.resource)"
            return .unavailable(reason: resource.withheld ?? words)
        }
        if isIdle(resource) { return .idle }
        switch state {
        case .active, .stale: return resource.isAwaitingFirst ? .starting : state
        default: return state
        }
    }

    /// The device that is connected now has no channels for it.
    private func isAbsent(_ resource: OwnedResource) -> Bool { profile?.kinds.contains(resource.quantity) == false }

    /// Nobody asks for it, but somebody asks for another resource of the device.
    private func isIdle(_ resource: OwnedResource) -> Bool {
        owned.count > 1 && !resource.core.isWanted && owned.contains { $0.core.isWanted }
    }

    // MARK: what it has to do

    /// Determines what it must do for all who ask for its resources; returns whether that changed.
    func settle(now: BootTime) -> Bool {
        let wasWanted = isWanted
        for resource in owned where resource.core.isWanted != resource.wasWanted {
            resource.wasWanted.toggle()
            resource.isAwaitingFirst = resource.wasWanted && wasWanted
        }
        let wishes = owned.flatMap { $0.core.wishes }
        var arbitration = arbitration
        let isChanged = arbitration.settle(wishes, offered: profile?.offered, now: now)
        self.arbitration = arbitration
        guard isChanged else { return false }
        for resource in owned { resource.core.latencyNanoseconds = demand?.latencyNanoseconds ?? 0 }
        assert(isWanted == owned.contains { $0.core.isWanted }, "it runs exactly while somebody asks")
        return true
    }

    /// How many of its resources were requested when it was last settled.
    private var wantedCount: Int { owned.count(where: \.wasWanted) }

    /// The same; also informs the device, and reports the state of each resource.
    public func settle(to sink: some Sink, now: BootTime) {
        let wanted = wantedCount
        let isChanged = settle(now: now)
        if wantedCount != wanted { sink.didChangeInterest(in: self) }
        if isChanged { sink.didChangeDemand(of: self, now: now) }
        if owned.count > 1 { reportStates(to: sink, now: now) }
    }

    // MARK: time

    /// When the device must look again at what clients need; nil: not before they change.
    public var demandDeadline: BootTime? { arbitration.deadline }

    /// When it, or one of its resources, must act even without an event from the driver; nil: never.
    public var deadline: BootTime? {
        var earliest = arbitration.deadline
        let owned = owned
        let resources = owned.span
        for index in resources.indices { earliest = BootTime.earlier(earliest, resources[index].deadline) }
        return earliest
    }

    /// Acts on the deadlines that have come.
    public func expire(to sink: some Sink, now: BootTime) {
        for resource in owned { resource.expire(to: sink, now: now) }
        if let deadline = arbitration.deadline, now >= deadline { settle(to: sink, now: now) }
    }
}

extension ResourceState {
    /// Whether it is neither missing nor released: whoever asks may get readings.
    package var isAvailable: Bool {
        switch self {
        case .unavailable, .released: false
        case .idle, .warm, .starting, .active, .stale: true
        }
    }
}
