public import Readings

/// A device as the broker sees it: the resources that it owns, what they need of it together, and how each of them is doing.
///
/// A device with several kinds runs for those that somebody asks for. Its other resources are idle meanwhile, and what it
/// yields of their kinds goes nowhere. Pure: what the device says, and the time, come in as arguments.
public final class Device {
    /// The resources that it owns, in the order in which they came.
    public private(set) var resources: [OwnedResource] = []
    /// What its driver said last of how it is doing.
    public var reported = ResourceState.idle
    /// Why its driver says nothing any more; nil: it is there.
    public var hang: String?
    private var profile: DeviceProfile?
    private var arbitration = Arbitration()
    /// The grid on which due times of all its resources lie, since it was opened.
    private var grid: BootTime?

    /// A device without resources, which has said nothing yet.
    public init() {}

    /// What it is asked for; nil: nobody asks for any of its resources.
    public var demand: Demand? { arbitration.demand }

    /// Whether it is open.
    public var isActive: Bool { state == .active }

    /// Whether it is missing, or fails.
    public var isUnavailable: Bool { if case .unavailable = state { true } else { false } }

    private var state: ResourceState { hang.map { .unavailable(reason: $0) } ?? reported }

    // MARK: what it owns

    /// Takes in a resource, of a kind that it has no other of; it may have been another device's.
    public func adopt(_ resource: OwnedResource) {
        assert(!owns(resource.core.kind), "a device has one resource of a kind")
        resource.device?.resources.removeAll { $0 === resource }
        resource.device = self
        resource.wasWanted = false
        resources.append(resource)
        if let profile { _ = resource.core.accept(profile) }
        resource.core.latencyNanoseconds = demand?.latencyNanoseconds ?? 0
        if let grid { resource.core.follow(grid) }
    }

    /// Whether one of its resources is of a kind.
    public func owns(_ kind: Kind) -> Bool { resources.contains { $0.core.kind == kind } }

    /// The resource that takes samples of a kind; nil: there is none, or nobody asks for it while the device runs for others.
    public func taker(of kind: Kind) -> OwnedResource? {
        guard let resource = resources.first(where: { $0.core.kind == kind }) else { return nil }
        return isIdle(resource) ? nil : resource
    }

    /// The resources to which a loss of all its kinds is one: it was to yield samples of theirs.
    public var losers: [OwnedResource] { resources.filter { !isIdle($0) && !$0.isAwaitingFirst } }

    // MARK: what it says

    /// What it is, or how it runs, is otherwise than believed; returns whether that is news.
    public func accept(_ profile: DeviceProfile) -> Bool {
        guard profile != self.profile else { return false }
        self.profile = profile
        return true
    }

    /// It was opened: all kinds that it is asked for come from now on, and their numbers begin at 0.
    public func opened() {
        grid = nil
        for resource in resources {
            resource.isAwaitingFirst = false
            resource.core.deviceOpened()
        }
    }

    /// A sample for the resource that takes those of its kind.
    public func accept(_ sample: Sample, for resource: OwnedResource, now: BootTime) {
        resource.accept(sample, now: now)
        guard grid == nil else { return }
        grid = resource.core.grid
        if let grid { for other in resources where other !== resource { other.core.follow(grid) } }
    }

    /// How one of its resources is doing.
    public func state(of resource: OwnedResource) -> ResourceState {
        let state = state
        switch state {
        case .unavailable, .released: return state
        case .idle, .warm, .starting, .active, .stale: break
        }
        if let profile, !profile.kinds.contains(resource.core.kind) {
            return .unavailable(reason: "the device that is there now has no \(resource.core.kind.row.resource)")
        }
        if isIdle(resource) { return .idle }
        switch state {
        case .active, .stale: return resource.isAwaitingFirst ? .starting : state
        default: return state
        }
    }

    /// Nobody asks for it, but for another resource of the device.
    private func isIdle(_ resource: OwnedResource) -> Bool {
        resources.count > 1 && !resource.core.isWanted && resources.contains { $0.core.isWanted }
    }

    // MARK: what it has to do

    /// Works out what it has to do for all who ask for its resources; returns whether that changed.
    public func settle(now: BootTime) -> Bool {
        let wasWanted = demand != nil
        for resource in resources where resource.core.isWanted != resource.wasWanted {
            resource.wasWanted.toggle()
            resource.isAwaitingFirst = resource.wasWanted && wasWanted
        }
        let wishes = resources.flatMap { $0.core.wishes }
        guard arbitration.settle(wishes, offered: profile?.offered, now: now) else { return false }
        for resource in resources { resource.core.latencyNanoseconds = demand?.latencyNanoseconds ?? 0 }
        return true
    }

    /// How many of its resources somebody asked for when it was last settled.
    public var wantedCount: Int { resources.count(where: \.wasWanted) }

    /// When to settle even if nobody comes or goes; nil: never.
    public var settleDeadline: BootTime? { arbitration.deadline }
}

/// A resource, and how it stands to the device that owns it.
public final class OwnedResource {
    /// Who gets what of it, when.
    public var core: Resource
    /// Its place among all resources of a broker.
    public let place: Int
    /// The time of the newest sample that lanes have; nil: there has been none.
    public private(set) var lastSample: BootTime?
    /// Somebody has come for it while its device was running for others, and it has yielded nothing of it since.
    public var isAwaitingFirst = false
    /// Whether somebody asked for it when its device was last settled.
    fileprivate(set) var wasWanted = false
    fileprivate(set) weak var device: Device?

    /// A resource that no device owns yet.
    public init(_ core: consuming Resource, at place: Int) {
        self.core = core
        self.place = place
    }

    /// A sample of its kind arrived.
    fileprivate func accept(_ sample: Sample, now: BootTime) {
        isAwaitingFirst = false
        core.accept(sample, now: now)
        lastSample = lastSample.map { max($0, sample.timestamp) } ?? sample.timestamp
    }
}
