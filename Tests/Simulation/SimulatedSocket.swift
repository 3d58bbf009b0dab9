/// A client's end: a bounded number of messages that it has not read.
struct SimulatedSocket {
    let capacity: Int
    private(set) var queued = 0
    /// The client reads what comes.
    var isReading = true
    /// The broker found it full, or got only a part in.
    private(set) var isBlocked = false

    /// A message of a stream; whether it was taken.
    ///
    /// The last place takes a message in part: its rest waits outside.
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

    /// The client reads all there is; whether the broker was waiting for that.
    mutating func drain() -> Bool {
        defer { isBlocked = false }
        queued = 0
        return isBlocked
    }
}
