internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// Devices whose threads hang in a driver, a library or the kernel. Nothing can be done about such a thread: it is left where
/// it is, and its resources alone are unavailable until it comes back.
extension Broker {
    /// Looks at the threads of devices that somebody asks for, or that hang already, again and again.
    ///
    /// A hanging thread says nothing, so it has to be looked at; where nobody asks for a device, nobody is kept waiting.
    func checkHangs(_ now: BootTime) {
        guard let due = nextHangCheck, now >= due else { return }
        nextHangCheck = nil
        for device in devices {
            let working = device.channel.workingNanoseconds ?? 0
            if working >= hangNanoseconds { tellHang(device, working, now) } else { tellReturn(device, now) }
            if device.hangs || device.core.demand != nil { scheduleHangCheck(now) }
        }
    }

    /// Sees to it that threads are looked at from now on.
    func scheduleHangCheck(_ now: BootTime) {
        nextHangCheck = nextHangCheck ?? now + hangNanoseconds / 2
    }

    private func tellHang(_ device: ServedDevice, _ working: Int64, _ now: BootTime) {
        guard !device.hangs else { return }
        let reason =
            "its driver has not come back for \(working / 1_000_000_000) s; it goes on when it does: "
            + "if it does not, unplug the device or start the broker anew"
        device.core.hang = reason
        tellStates(of: device, now)
        for place in device.places { failReads(resources[place], reason, now) }
    }

    /// The thread has come back: what it said last holds again.
    func tellReturn(_ device: ServedDevice, _ now: BootTime) {
        guard device.hangs else { return }
        device.core.hang = nil
        tellStates(of: device, now)
    }
}
