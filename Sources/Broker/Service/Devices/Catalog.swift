internal import Admission
public import Delivery
internal import Devices
internal import Platform
internal import Readings
internal import Varlink

/// What is served and to whom: the resources, the devices that own them, and the policies that determine clients'
/// grants.
///
/// A resource is identified by its index, which it keeps as long as the daemon runs: if its device is gone, it is
/// unavailable.
final class Catalog {
    // Each turn of the loop reads these, so they are only assigned (`Array.adding`).
    private(set) var resources: [OwnedResource] = []
    /// All devices but derivations; a device owns no resource if all of its own turned out to belong to another.
    private(set) var devices: [ServedDevice] = []
    private var owners: [ServedDevice] = []
    /// For resources that have moved: what was counted before, less what the present device had counted by then.
    private var formerCounters: [ResourceIndex: DeviceCounters] = [:]
    /// Who may read what; nobody may read anything until it is configured.
    private var access = AccessPolicy.notLoaded
    private var policies: [Kind: ResourcePolicy] = [:]

    // MARK: what there is

    subscript(index: ResourceIndex) -> OwnedResource { resources[index.number] }

    func device(of index: ResourceIndex) -> ServedDevice { owners[index.number] }

    /// What has been counted of a resource's devices: when it moves to another one, its counts go on.
    func counters(of index: ResourceIndex) -> DeviceCounters {
        let counters = device(of: index).channel.counters
        return formerCounters[index].map(counters.adding) ?? counters
    }

    var indices: [ResourceIndex] { resources.indices.map { ResourceIndex($0) } }

    var nextIndex: ResourceIndex { ResourceIndex(resources.count) }

    func add(_ resource: OwnedResource, of device: ServedDevice) {
        assert(resource.index == nextIndex && index(of: resource.name) == nil, "a resource has an index of its own")
        assert(resource.device === device.core, "a device serves what it owns")
        resources = resources.adding(resource)
        owners = owners.adding(device)
    }

    /// Makes another device the owner of a resource.
    ///
    /// One that has not been found since a restart may turn out to belong to it; a program takes a name or gives it back; a
    /// device replaces a derivation, and either of them what no program provides.
    func move(_ resource: OwnedResource, to device: ServedDevice) {
        formerCounters[resource.index] = counters(of: resource.index).without(device.channel.counters)
        device.core.adopt(resource)
        owners = owners.replacing(at: resource.index.number, with: device)
    }

    func add(_ device: ServedDevice) { devices = devices.adding(device) }

    func remove(_ device: ServedDevice) {
        assert(device.core.resources.isEmpty, "resources keep their device")
        devices = devices.filter { $0 !== device }
    }

    func index(of name: ResourceName) -> ResourceIndex? {
        resources.firstIndex { $0.name == name }.map { ResourceIndex($0) }
    }

    /// The device that owns a resource, if it has none yet for this kind and input; nil: there is no such device.
    func device(of name: ResourceName, lacking quantity: Quantity) -> ServedDevice? {
        guard let device = index(of: name).map(device(of:)) else { return nil }
        return !device.isDerived && !device.core.owns(quantity) ? device : nil
    }

    // MARK: what is configured

    /// Applies the policy of its kind to a resource of a device.
    func applyPolicy(to resource: OwnedResource, of device: ServedDevice) {
        if let policy = policies[resource.kind] { device.adopt(policy, for: resource) }
    }

    /// Applies a policy to all resources of a kind, present and future; returns those that now grant
    /// other intervals.
    func configure(_ kind: Kind, _ policy: ResourcePolicy) -> [ResourceIndex] {
        policies[kind] = policy
        return indices.filter { self[$0].kind == kind && device(of: $0).adopt(policy, for: self[$0]) }
    }

    /// Applies an access policy; returns whether it differs from the one before.
    func configure(_ access: AccessPolicy) -> Bool {
        guard self.access != access else { return false }
        self.access = access
        return true
    }

    // MARK: what a client may have

    func rights(of connection: Connection) -> Rights {
        access.rights(groups: connection.peer.allGroupIDs, isTrusted: connection.peer.isAdministrator)
    }

    /// A resource that a client may read.
    func readable(_ name: String, by connection: Connection) throws(VarlinkError) -> ResourceIndex {
        guard let index = ResourceName(name).flatMap({ index(of: $0) }) else { throw .noSuchResource(name) }
        guard rights(of: connection).mayRead(self[index].kind) else { throw .permissionDenied }
        return index
    }

    /// The intervals that a resource grants a client.
    func limits(of index: ResourceIndex, for connection: Connection) -> IntervalLimits {
        self[index].core.limits.raised(to: rights(of: connection).shortestNanoseconds)
    }
}

/// The configuration for the resources of a kind.
public struct ResourcePolicy: Equatable, Sendable {
    /// How long a device that nobody uses is kept open.
    public var warmGraceNanoseconds: Int64
    /// Which intervals are granted.
    public var intervals: IntervalPolicy

    /// A policy.
    public init(warmGraceNanoseconds: Int64, intervals: IntervalPolicy) {
        self.warmGraceNanoseconds = warmGraceNanoseconds
        self.intervals = intervals
    }
}
