internal import Admission
internal import Delivery
internal import Devices
internal import Platform
public import Readings

/// Devices: what they say goes to delivery, and what delivery makes of them goes to them, to streams and to the journal.
extension Broker {
    func deviceSpoke(_ device: ServedDevice, _ now: BootTime) {
        device.channel.take(into: &events)
        tellReturn(device, now)
        device.core.hear(events, to: sink, now: now)
        for resource in device.core.resources { rounds.end(resource) }
        finishReleases(now)
    }

    /// A resource is doing otherwise, which its lanes know.
    func didChangeState(of resource: OwnedResource, _ now: BootTime) {
        let served = resources[resource.place]
        let state = served.core.state
        for derivation in catalog.derivations(from: resource.place) { derivation.follow(state) }
        if served.device.isJournaled { write(state, of: served, now) }
        announce(resource.place, now)
    }

    private func write(_ state: ResourceState, of resource: ServedResource, _ now: BootTime) {
        let name = resource.owned.name
        if case .unavailable(let reason) = state {
            resource.isMissed = true
            server.log.write(
                .device(name), .warning, "\(name) is unavailable: \(reason)", .resourceUnavailable,
                [.resource: "\(name)", .reason: reason], now: now)
        } else if resource.isMissed, state == .active || state == .idle {
            resource.isMissed = false
            server.log.write(
                .device(name), .notice, "\(name) is available again", .resourceAvailable, [.resource: "\(name)"],
                now: now)
        }
    }

    /// Tells a device what all who ask for its resources need now.
    func didChangeDemand(of device: Device, _ now: BootTime) {
        guard let place = device.resources.first?.place else { return }
        resources[place].device.follow(now)
        if device.demand != nil { hangWatch.begin(now) }
    }

    /// Those who watch the list will hear of it, at the expense of who has caused it.
    func didChangeInterest() { if let caller = server.acting { listWatchers.blame(caller) } }

    /// Works out what a device has to do, after somebody has come or gone.
    func settle(_ device: ServedDevice, _ now: BootTime) { device.core.settle(to: sink, now: now) }

    // MARK: hanging threads, about which nothing can be done: no other device is affected

    func checkHangs(_ now: BootTime) {
        let looks = hangWatch.look(
            at: devices, now, working: { $0.channel.workingNanoseconds }, isWanted: { $0.core.demand != nil })
        for (device, nanoseconds) in looks {
            if let nanoseconds { tellHang(device, nanoseconds, now) } else { tellReturn(device, now) }
        }
    }

    private func tellHang(_ device: ServedDevice, _ working: Int64, _ now: BootTime) {
        guard !device.hangs else { return }
        let reason =
            "its driver has not come back for \(working / 1_000_000_000) s; it goes on when it does: "
            + "if it does not, unplug the device or start the broker anew"
        device.core.hang(reason, to: sink, now: now)
    }

    /// The thread has come back: what it said last holds again.
    func tellReturn(_ device: ServedDevice, _ now: BootTime) {
        guard device.hangs else { return }
        device.core.hang(nil, to: sink, now: now)
    }

    // MARK: memory

    /// Memory is short: devices that are open for nobody are closed at once, those in use stay.
    public func memoryIsShort(now: BootTime) {
        let warm = resources.filter { $0.core.state == .warm }.map { $0.core.name.description }
        // Also where the loop does not know of it yet; the device's thread knows what is in use.
        for device in devices where device.core.demand == nil { device.channel.evict() }
        guard !warm.isEmpty else { return }
        journal.write(.notice, "memory is short: closing \(warm.joined(separator: " and ")), which nobody uses")
    }
}
