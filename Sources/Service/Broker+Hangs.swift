internal import Delivery
internal import Devices
internal import Platform
internal import Readings

/// Devices whose threads hang in a driver, a library or the kernel. Nothing can be done about such a thread: it is left where
/// it is, and its resource alone is unavailable until it comes back.
extension Broker {
    /// Looks at the threads of devices that somebody asks for, or that hang already, again and again.
    ///
    /// A hanging thread says nothing, so it has to be looked at; where nobody asks for a device, nobody is kept waiting.
    func checkHangs(_ now: BootTime) {
        guard let due = nextHangCheck, now >= due else { return }
        nextHangCheck = nil
        for index in resources.indices where resources[index].derivation == nil {
            let resource = resources[index]
            let working = resource.channel.workingNanoseconds ?? 0
            if working >= hangNanoseconds { tellHang(index, working, now) } else { tellReturn(index, now) }
            if resource.hangs || resource.core.demand != nil { scheduleHangCheck(now) }
        }
    }

    /// Sees to it that threads are looked at from now on.
    func scheduleHangCheck(_ now: BootTime) {
        nextHangCheck = nextHangCheck ?? now + hangNanoseconds / 2
    }

    private func tellHang(_ index: Int, _ working: Int64, _ now: BootTime) {
        let resource = resources[index]
        guard !resource.hangs else { return }
        resource.hangs = true
        let reason =
            "its driver has not come back for \(working / 1_000_000_000) s; it goes on when it does: "
            + "if it does not, unplug the device or start the broker anew"
        accept(.unavailable(reason: reason), index, now)
        failReads(resource, reason, now)
    }

    /// The thread has come back: what it said last holds again.
    func tellReturn(_ index: Int, _ now: BootTime) {
        let resource = resources[index]
        guard resource.hangs else { return }
        resource.hangs = false
        accept(resource.reported, index, now)
    }
}
