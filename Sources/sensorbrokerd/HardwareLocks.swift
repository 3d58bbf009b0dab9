internal import Platform

/// One lock for each piece of hardware, so that two brokers can never own one device.
struct HardwareLocks: ~Copyable {
    private let first: InstanceLock?
    private let second: InstanceLock?

    /// Takes the locks of up to two pieces of hardware, in the order given.
    init(_ hardware: [String], _ places: Places) throws(StartFailure) {
        let first = hardware.isEmpty ? nil : try Self.take(hardware[0], places)
        let second = hardware.count < 2 ? nil : try Self.take(hardware[1], places)
        self.first = first
        self.second = second
    }

    private static func take(_ hardware: String, _ places: Places) throws(StartFailure) -> InstanceLock {
        do {
            return try InstanceLock(path: places.hardwareLock(hardware))
        } catch {
            throw StartFailure(error, holding: "another broker has \(hardware)")
        }
    }
}
