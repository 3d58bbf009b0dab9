internal import Delivery
internal import Readings

/// A resource that is served.
final class ServedResource {
    /// The same, as its device and its clients see it.
    let owned: OwnedResource
    /// The device that owns it now; a resource that has not been found since a restart may turn out to belong to
    /// another device.
    private(set) var device: ServedDevice

    init(_ core: consuming Resource, at index: ResourceIndex, of device: ServedDevice) {
        owned = OwnedResource(core, at: index)
        self.device = device
        device.core.adopt(owned)
    }

    /// Its delivery: who gets which readings, and when.
    var core: Resource {
        _read { yield owned.core }
        _modify { yield &owned.core }
    }

    /// Its index in the broker.
    var index: ResourceIndex { owned.index }

    /// Makes another device its owner.
    func move(to device: ServedDevice) {
        device.core.adopt(owned)
        self.device = device
    }

    /// Applies a policy; returns whether other intervals are granted than before.
    @discardableResult
    func adopt(_ policy: ResourcePolicy) -> Bool {
        device.setWarmGrace(nanoseconds: policy.warmGraceNanoseconds, for: core.kind)
        defer { core.intervalPolicy = policy.intervals }
        return core.intervalPolicy != policy.intervals
    }
}
