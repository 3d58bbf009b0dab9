internal import Delivery
internal import Devices
internal import Readings

/// Makes the resources of a device unavailable while its thread hangs. Nothing can be done about the thread: it is left where
/// it is, and no other device is affected.
extension Broker {
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
}
