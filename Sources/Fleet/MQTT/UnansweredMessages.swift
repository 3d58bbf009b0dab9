internal import Platform

/// Messages to which the server has not answered, by the library's identifiers.
///
/// Each answer by itself would wake this process, and the program, which costs more than its message did. So the server is not
/// read for a while if nobody needs an answer.
struct UnansweredMessages {
    struct Message {
        /// The program's.
        let identifier: Int32
        let bytes: Int
        /// Nobody needs the answer at once.
        let mayWait: Bool
    }

    /// The bytes of all.
    private(set) var bytes = 0
    private var messages: [Int32: Message] = [:]
    private var urgentCount = 0
    /// When the server is read again.
    private var readDue: Int64 = 0

    /// What somebody else sends waits as long.
    private static let longestPauseNanoseconds = Nanoseconds.second / 20

    /// Until when the server need not be read; nil: it is to be read now.
    mutating func pause(_ now: Int64) -> Int64? {
        if urgentCount == 0, !messages.isEmpty, now < readDue { return readDue }
        readDue = now + Self.longestPauseNanoseconds
        return nil
    }

    mutating func add(_ message: Message, as own: Int32) {
        // The library counts to 65,535 and begins again, also where a server has left one unanswered.
        _ = remove(own)
        messages[own] = message
        bytes += message.bytes
        if !message.mayWait { urgentCount += 1 }
    }

    /// The message that the server has answered.
    mutating func remove(_ own: Int32) -> Message? {
        guard let message = messages.removeValue(forKey: own) else { return nil }
        bytes -= message.bytes
        if !message.mayWait { urgentCount -= 1 }
        assert(bytes >= 0 && urgentCount >= 0, "each answer is counted once")
        assert(!messages.isEmpty || bytes == 0 && urgentCount == 0, "nothing remains of what is answered")
        return message
    }
}
