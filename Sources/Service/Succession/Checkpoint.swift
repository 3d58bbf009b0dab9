internal import Readings

/// Where is kept what a successor would need, should this process die.
public struct CheckpointStore {
    /// How many sockets may be kept at most.
    let capacity: Int
    /// Keeps a text of a generation, and sockets beside those kept before; false where it could not.
    let keep: (_ generation: Int64, _ text: [UInt8], _ sockets: [Int32]) -> Bool

    /// A store that keeps by a closure.
    public init(
        capacity: Int, keep: @escaping (_ generation: Int64, _ text: [UInt8], _ sockets: [Int32]) -> Bool
    ) {
        (self.capacity, self.keep) = (capacity, keep)
    }
}

/// When to write down what a successor would need, should this process die.
///
/// At most once a second, and more seldom with many clients, since all of them are written: a client that has come or
/// changed since the last time is not taken over then, and has to connect again. With nothing new nothing is written.
final class Checkpoint {
    /// nil: nothing is written down.
    private(set) var store: CheckpointStore?
    /// Of the text that is kept.
    private(set) var generation: Int64 = 0
    /// When the next one is to be written; nil: there is nothing new.
    private(set) var due: BootTime?
    private var pauseNanoseconds: Int64 = 1_000_000_000

    /// What is new is written down from now on.
    func begin(in store: CheckpointStore) { self.store = store }

    /// What is kept is out of date.
    func renew(now: BootTime) {
        guard store != nil else { return }
        due = due ?? now + pauseNanoseconds
    }

    /// A text with so many connections was kept, or could not be; then it is tried again.
    func didTry(connections: Int, isKept: Bool, now: BootTime) {
        pauseNanoseconds = 1_000_000_000 + Int64(clamping: connections) * 5_000_000
        if isKept { generation += 1 }
        due = isKept ? nil : now + pauseNanoseconds
    }
}
