internal import Readings

/// Stores what a successor would need if this process died.
public struct CheckpointStore {
    /// How many sockets can be kept.
    let capacity: Int
    /// Keeps a text of a generation, and sockets in addition to those kept before; false if that failed.
    let keep: (_ generation: Int64, _ text: [UInt8], _ sockets: [Int32]) -> Bool

    /// A store whose work is done by a closure.
    public init(
        capacity: Int, keep: @escaping (_ generation: Int64, _ text: [UInt8], _ sockets: [Int32]) -> Bool
    ) {
        self.capacity = capacity
        self.keep = keep
    }
}

/// When to record what a successor would need if this process died.
///
/// At most once a second, and less often with many clients, since all of them are written: a client that has come or
/// changed since the last time is not taken over then, and must connect again. If nothing is new, nothing is written.
final class Checkpoint {
    /// nil: nothing is recorded.
    private(set) var store: CheckpointStore?
    /// The generation of the stored text.
    private(set) var generation: Int64 = 0
    /// When the next text must be written; nil: there is nothing new.
    private(set) var due: BootTime?
    private var pauseNanoseconds: Int64 = 1_000_000_000

    /// Changes are recorded from now on.
    func begin(in store: CheckpointStore) { self.store = store }

    /// The stored text is out of date.
    func renew(now: BootTime) {
        guard store != nil else { return }
        due = due ?? now + pauseNanoseconds
    }

    /// A client's call has begun or changed: until that is recorded, the next process could not continue it.
    func renew(_ connection: Connection, now: BootTime) {
        guard store != nil else { return }
        connection.observer.mark(.outOfDate)
        renew(now: now)
    }

    /// A text with this many connections was stored, or could not be; then it is tried again.
    func didTry(connections: Int, isKept: Bool, now: BootTime) {
        pauseNanoseconds = 1_000_000_000 + Int64(clamping: connections) * 5_000_000
        if isKept { generation += 1 }
        due = isKept ? nil : now + pauseNanoseconds
    }
}
