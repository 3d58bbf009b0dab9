internal import Platform

/// The right to one piece of hardware, so that two brokers can never own one device; held as long as anybody holds this.
final class HardwareLock: Sendable {
    private let lock: InstanceLock

    /// Takes the lock of a piece of hardware.
    init(_ hardware: String, _ places: Places) throws(StartFailure) {
        do {
            lock = try InstanceLock(path: places.hardwareLock(hardware))
        } catch {
            throw StartFailure(error, holding: "another broker has \(hardware)")
        }
    }
}
