internal import BrokerClient
internal import CLinux
internal import Varlink

/// A provider's connection to the broker, on which nothing waits.
///
/// What the kernel does not take of a message is kept, since half a message would be none; until it is sent, nothing else is.
final class FeedLine {
    private var connection: BrokerConnection
    private var unsent: [UInt8] = []
    /// How many times are in each of the messages of which these are the end.
    private var counts: [Int] = []
    /// Whether the connection takes nothing any more.
    private var hasFailed = false
    /// Whether the loop waits for room.
    private var isWaiting = false

    init(_ connection: consuming BrokerConnection) { self.connection = connection }

    /// The descriptor to wait for.
    var number: Int32 { connection.number }

    /// Whether the loop has to be set to wait for room, or not to wait any more; true once for each change.
    var changesWait: Bool {
        defer { isWaiting = !unsent.isEmpty }
        return isWaiting != !unsent.isEmpty
    }

    /// Whether something waits for room.
    var isHeldUp: Bool { !unsent.isEmpty }

    /// Whether something waits for room that may come.
    var mayBeTaken: Bool { isHeldUp && !hasFailed }

    /// Sends messages of so many times each, as far as there is room; false, and nothing of them is sent, if former ones still wait for it.
    func send(_ bytes: [UInt8], of counts: [Int]) -> Bool {
        flush()
        guard unsent.isEmpty else { return false }
        unsent = bytes
        self.counts = counts
        flush()
        return true
    }

    /// Sends nothing any more; returns how many times are in messages that were not sent to their end.
    func giveUp() -> Int {
        defer { unsent = [] }
        return counts.suffix(unsent.count { $0 == 0 }).reduce(0, +)
    }

    /// Sends what waits for room. `send(2)`
    func flush() {
        guard !unsent.isEmpty else { return }
        let count = unsafe unsent.withUnsafeBytes { bytes in
            unsafe clinux_send(connection.number, bytes.baseAddress, bytes.count)
        }
        // If the connection has failed, whoever reads it finds that.
        if count > 0 { unsent.removeFirst(count) } else { hasFailed = clinux_errno() != EAGAIN }
    }

    /// Reads what has come; false if there may be more.
    func receive() throws(ConnectionFault) -> Bool { try connection.receive() }

    /// The next reply among what was read; nil if there is none.
    func nextReply() throws(ConnectionFault) -> Reply? { try connection.nextReply() }
}
