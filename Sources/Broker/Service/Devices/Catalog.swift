internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// What is served and to whom: the resources, the devices that own them, and the policies that determine clients'
/// grants.
///
/// A resource is identified by its index, which it keeps as long as the daemon runs: if its device is gone, it is
/// unavailable.
final class Catalog {
    // Assigned as wholes: every turn of the loop reads these, and arrays changed in place are checked for exclusive
    // access on each read.
    private(set) var resources: [ServedResource] = []
    /// Devices with threads, which own most resources; a device owns none if all its resources turned out to belong to
    /// another.
    private(set) var devices: [ServedDevice] = []
    /// Who may read what; nobody may read anything until it is configured.
    private var access = AccessPolicy.notLoaded
    private var policies: [Kind: ResourcePolicy] = [:]

    // MARK: what there is

    subscript(index: ResourceIndex) -> ServedResource { resources[index.number] }

    /// All of them.
    var indices: [ResourceIndex] { resources.indices.map { ResourceIndex($0) } }

    /// The index that the next resource to come will have.
    var nextIndex: ResourceIndex { ResourceIndex(resources.count) }

    func add(_ resource: ServedResource) {
        assert(
            resource.index == nextIndex && index(of: resource.owned.name) == nil,
            "a resource has an index of its own")
        resources = resources + [resource]
    }

    func add(_ device: ServedDevice) { devices = devices + [device] }

    func remove(_ device: ServedDevice) {
        assert(device.core.resources.isEmpty, "resources keep their device")
        devices = devices.filter { $0 !== device }
    }

    func index(of name: ResourceName) -> ResourceIndex? {
        resources.firstIndex { $0.owned.name == name }.map { ResourceIndex($0) }
    }

    /// The device that owns a resource, if it has none yet for this kind and input; nil: there is no such device.
    func device(of name: ResourceName, lacking quantity: Quantity) -> ServedDevice? {
        guard let index = index(of: name) else { return nil }
        let device = self[index].device
        return device.isJournaled && !device.core.owns(quantity) ? device : nil
    }

    // MARK: what is configured

    /// Applies the policy of its kind to a resource.
    func applyPolicy(to resource: ServedResource) {
        if let policy = policies[resource.owned.kind] { resource.adopt(policy) }
    }

    /// Applies a policy to all resources of a kind, present and future; returns those that now grant
    /// other intervals.
    func configure(_ kind: Kind, _ policy: ResourcePolicy) -> [ResourceIndex] {
        policies[kind] = policy
        return indices.filter { self[$0].owned.kind == kind && self[$0].adopt(policy) }
    }

    /// Applies an access policy; returns whether it differs from the one before.
    func configure(_ access: AccessPolicy) -> Bool {
        guard self.access != access else { return false }
        self.access = access
        return true
    }

    // MARK: what a client may have

    /// The rights of a client.
    func rights(of connection: Connection) -> Rights {
        access.rights(groups: connection.peer.allGroupIDs, isTrusted: connection.peer.isAdministrator)
    }

    /// A resource that a client may read.
    func readable(_ name: String, by connection: Connection) throws(VarlinkError) -> ResourceIndex {
        guard let index = ResourceName(name).flatMap({ index(of: $0) }) else { throw .noSuchResource(name) }
        guard rights(of: connection).mayRead(self[index].owned.kind) else { throw .permissionDenied }
        return index
    }

    /// The intervals that a resource grants a client.
    func limits(of index: ResourceIndex, for connection: Connection) -> IntervalLimits {
        self[index].core.limits.raised(to: rights(of: connection).shortestNanoseconds)
    }
}
