internal import Delivery
internal import Readings

/// How a resource gets another device: a program takes a name or gives it back, a sensor of the host comes for what was derived or
/// not there, and something is derived where no program provides it.
///
/// The other device may be open already, for others or for its grace period. Then it does not report again that it was opened, what
/// it can do, or that it is released: what would follow from that is done here.
final class ResourceMoves {
    private let catalog: Catalog
    private let sink: BrokerSink

    init(_ catalog: Catalog, _ sink: BrokerSink) { (self.catalog, self.sink) = (catalog, sink) }

    /// Moves a resource to a device; `configure` applies what holds for it there.
    func move(_ resource: OwnedResource, to device: ServedDevice, _ now: BootTime, _ configure: () -> Void) {
        let former = catalog.device(of: resource.index)
        if !former.isAwaited { endReadings(of: resource, now) }
        catalog.move(resource, to: device)
        configure()
        if !former.isAwaited { former.core.settle(to: sink, now: now) }
        // The loop knows a device by its resources, and this one may have none any more.
        if former.core.resources.isEmpty { former.follow(now) }
        device.core.settle(to: sink, now: now)
        sink.didChangeProfile(of: resource, now: now)
        if let reason = device.blockage { resource.failReads(reason, to: sink, now: now) }
    }

    /// What the former device measured goes out, and the numbers of the other one count from the start.
    private func endReadings(of resource: OwnedResource, _ now: BootTime) {
        resource.fanOut(to: sink, now: now)
        resource.core.deviceReplaced()
        // The batches that this has completed.
        resource.fanOut(to: sink, now: now)
        resource.core.deviceOpened()
        resource.leaveDevice()
        sink.didOpen(resource, now: now)
    }
}
