/// A client's end: a bounded number of messages that it has not read.
struct SimulatedSocket {
    let capacity: Int
    private(set) var queued = 0
    /// Whether the client reads what comes.
    var isReading = true
    /// Whether the broker found it full, or could write only a part of a message.
    private(set) var isBlocked = false

    /// Takes a message of a stream; returns whether it was taken.
    ///
    /// The last slot takes a part of a message: its rest waits outside.
    mutating func stream() -> Bool {
        guard !isBlocked else { return false }
        guard queued < capacity else {
            isBlocked = true
            return false
        }
        queued += 1
        if queued == capacity, capacity.isMultiple(of: 2) { isBlocked = true }
        return true
    }

    /// The client reads everything; returns whether the broker was waiting for that.
    mutating func drain() -> Bool {
        defer { isBlocked = false }
        queued = 0
        return isBlocked
    }
}
