internal import Delivery
internal import Readings

/// A resource that is served.
final class ServedResource {
    /// Its place in the device that owns it.
    let owned: OwnedResource
    /// The device that owns it now: one that has not been found since a restart may turn out to be a part of another.
    private(set) var device: ServedDevice

    init(_ core: consuming Resource, at index: Int, of device: ServedDevice) {
        owned = OwnedResource(core, at: index)
        self.device = device
        device.core.adopt(owned)
    }

    /// Who gets what of it, when.
    var core: Resource {
        _read { yield owned.core }
        _modify { yield &owned.core }
    }

    /// Its place in the broker.
    var index: Int { owned.place }

    /// Is another device's from now on.
    func move(to device: ServedDevice) {
        device.core.adopt(owned)
        self.device = device
    }

    /// Does as configured; returns whether other intervals are granted than before.
    @discardableResult
    func adopt(_ policy: ResourcePolicy) -> Bool {
        device.setWarmGrace(nanoseconds: policy.warmGraceNanoseconds, for: core.kind)
        defer { core.intervalPolicy = policy.intervals }
        return core.intervalPolicy != policy.intervals
    }
}
