internal import Platform

/// The locks that a running daemon holds: its own, and one a piece of hardware.
struct Locks: ~Copyable {
    private let instance: InstanceLock
    private let hardware: HardwareLocks

    init(_ places: Places, _ plan: DevicePlan) throws(StartFailure) {
        let own: InstanceLock
        do {
            own = try InstanceLock(path: places.lock)
        } catch {
            throw StartFailure(error, holding: "already running")
        }
        let hardware = try HardwareLocks(plan.hardware, places)
        instance = own
        self.hardware = hardware
    }
}
