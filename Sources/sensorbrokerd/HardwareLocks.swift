/// The locks that this process holds, so that a piece of hardware is not locked against itself: while a device moves from one
/// address to another and back, the thread that drives it may hold the first one still.
final class HardwareLocks {
    private struct Held {
        weak var lock: HardwareLock?
    }

    private let places: Places
    private var held: [String: Held] = [:]

    /// None is held; they are to be in these places.
    init(_ places: Places) { self.places = places }

    /// The lock of a piece of hardware, taken unless it is held already; none for what needs none.
    func take(_ hardware: String?) throws(StartFailure) -> HardwareLock? {
        guard let hardware else { return nil }
        if let lock = held[hardware]?.lock { return lock }
        let lock = try HardwareLock(hardware, places)
        held = held.filter { $0.value.lock != nil }
        held[hardware] = Held(lock: lock)
        return lock
    }
}
