internal import Delivery
internal import Devices
internal import Platform
public import Readings

extension Broker {
    /// Memory is short: devices that are open for nobody are closed at once, those in use stay.
    public func memoryIsShort(now: BootTime) {
        let warm = resources.filter { $0.core.state == .warm }.map { $0.core.name.description }
        // Also where the loop does not know of it yet; the device's thread knows what is in use.
        for device in devices where device.core.demand == nil { device.channel.evict() }
        guard !warm.isEmpty else { return }
        journal.write(.notice, "memory is short: closing \(warm.joined(separator: " and ")), which nobody uses")
    }
}
