internal import Platform

/// Reports on their way to the program.
///
/// Answers that nobody needs at once wait until something else is reported, there are many, or for a while: each by itself would wake the
/// program, which costs more than its message did. A program that dies while answers wait sends their messages again.
struct ReportQueue {
    private var frames = FrameQueue()
    /// When what waits is sent.
    private var sendDue = Int64.max
    /// How many reports wait.
    private var waitingCount = 0

    private static let longestWaitNanoseconds = 2 * Nanoseconds.second
    private static let mostWaiting = 16

    /// The bytes that wait.
    var count: Int { frames.count }

    mutating func add(_ report: some FrameMessage, mayWait: Bool, _ now: Int64) {
        frames.add(report)
        waitingCount += 1
        let isDue = !mayWait || waitingCount >= Self.mostWaiting
        sendDue = min(sendDue, isDue ? now : now + Self.longestWaitNanoseconds)
    }

    /// When the program is woken by itself; never, if nothing waits or the socket has no room.
    func due(_ now: Int64) -> Int64 { sendDue > now ? sendDue : .max }

    /// Whether something is due, which the socket may not have taken yet.
    func awaitsRoom(_ now: Int64) -> Bool { sendDue <= now }

    /// Sends what is due, as far as the socket takes it; false if the program is gone.
    mutating func flush(to stream: borrowing UnixSocket, _ now: Int64) -> Bool {
        guard sendDue <= now else { return true }
        guard frames.flush(to: stream) else { return false }
        if frames.isEmpty { (sendDue, waitingCount) = (.max, 0) }
        return true
    }
}
