internal import Platform

/// Messages to which the server has not answered, by the library's identifiers.
///
/// Each answer by itself would wake this process, which costs more than its message did. So the server is not read for a while
/// if nobody needs an answer, unless the process is awake for something else.
struct UnansweredMessages {
    struct Message {
        /// The program's.
        let identifier: Int32
        let bytes: Int
        /// Nobody needs the answer at once.
        let mayWait: Bool
    }

    private struct Sent {
        let message: Message
        let at: Int64
        /// Counted from the first that was sent.
        let number: UInt64
    }

    /// The bytes of all.
    private(set) var bytes = 0
    private var messages: [Int32: Sent] = [:]
    private var sentCount: UInt64 = 0
    /// The number of the newest that was answered, and when something was.
    private var newestAnswered: UInt64 = 0
    private var answered: Int64 = 0
    private var urgentCount = 0
    /// When the server was read.
    private var readAt = Int64.min / 2
    /// When it is read again by itself.
    private var readDue: Int64 = 0

    /// What somebody else sends waits as long.
    private static let longestPauseNanoseconds = Nanoseconds.second / 4
    /// Where many messages leave, the server is not read for each.
    private static let spacingNanoseconds = Nanoseconds.second / 20
    /// Longer than any server needs.
    private static let patienceNanoseconds = 300 * Nanoseconds.second

    /// Until when the server need not be read; nil: it is to be read now.
    mutating func pause(_ now: Int64) -> Int64? {
        if urgentCount == 0, !messages.isEmpty, now < readDue { return readDue }
        willRead(now)
        return nil
    }

    /// Whether the server is read in a pause, since something else has woken this process.
    mutating func isWorthReading(_ now: Int64) -> Bool {
        guard !messages.isEmpty, now - readAt >= Self.spacingNanoseconds else { return false }
        willRead(now)
        return true
    }

    private mutating func willRead(_ now: Int64) {
        readAt = now
        readDue = now + Self.longestPauseNanoseconds
    }

    /// Whether the server will never answer to one: that is old, and later ones are answered, or none is any more.
    ///
    /// Only a new connection sends it again. On a slow link many wait for long, but in their order.
    func isAnyForgotten(_ now: Int64) -> Bool {
        let latest = now - Self.patienceNanoseconds
        return messages.values.contains { $0.at < latest && ($0.number < newestAnswered || answered < latest) }
    }

    mutating func add(_ message: Message, as own: Int32, _ now: Int64) {
        // The library counts to 65,535 and begins again, also where a server has left one unanswered.
        _ = take(own)
        sentCount += 1
        if messages.isEmpty { readDue = now + Self.longestPauseNanoseconds }
        messages[own] = Sent(message: message, at: now, number: sentCount)
        bytes += message.bytes
        if !message.mayWait { urgentCount += 1 }
    }

    /// The message that the server has answered.
    mutating func remove(_ own: Int32, _ now: Int64) -> Message? {
        guard let sent = take(own) else { return nil }
        (newestAnswered, answered) = (max(newestAnswered, sent.number), now)
        return sent.message
    }

    private mutating func take(_ own: Int32) -> Sent? {
        guard let sent = messages.removeValue(forKey: own) else { return nil }
        bytes -= sent.message.bytes
        if !sent.message.mayWait { urgentCount -= 1 }
        assert(bytes >= 0 && urgentCount >= 0, "each answer is counted once")
        assert(!messages.isEmpty || bytes == 0 && urgentCount == 0, "nothing remains of what is answered")
        return sent
    }
}
