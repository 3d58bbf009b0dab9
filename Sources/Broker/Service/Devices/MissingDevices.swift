internal import Delivery
internal import Devices
internal import Readings

/// When to look again for devices that were missing and that nobody has asked for since: their state may be out of
/// date.
///
/// An idle daemon does not poll for them; it looks when somebody asks for the list, at most once a second: frequent
/// callers must not cause a flood of connects.
struct MissingDevices {
    private var lastLook: BootTime?

    mutating func look(among devices: [ServedDevice], _ now: BootTime) {
        guard lastLook.map({ now - $0 >= 1_000_000_000 }) ?? true else { return }
        lastLook = now
        for device in devices where !device.core.isWanted && device.core.isUnavailable {
            device.channel.requestProbe()
        }
    }
}
