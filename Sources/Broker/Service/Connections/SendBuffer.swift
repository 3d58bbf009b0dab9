/// How large a client's socket buffer must be.
///
/// The buffer is the client's queue: half a second of what it asked for, and at least six messages. A client that falls
/// further behind gets a gap and the newest reading, not a backlog of the past.
enum SendBuffer {
    private static let leastMessages: Int64 = 6
    private static let spanNanoseconds: Int64 = 500_000_000
    /// Room besides the readings, for grants and states, which come in bunches.
    static let controlBytes = 8 * 1_024
    /// More than any kernel grants.
    private static let most = 1 << 30

    /// Messages of one size that go out at one pace.
    struct Messages {
        /// The kernel's charge for one of them.
        private let charge: Int
        private let intervalNanoseconds: Int64

        init(replyBytes: Int, everyNanoseconds interval: Int64) {
            charge = SendBuffer.charge(replyBytes)
            intervalNanoseconds = max(interval, 1)
        }

        /// The kernel's charge for queueing as many of them as a client may fall behind.
        var bytesToHold: Int {
            let messages = max(leastMessages, spanNanoseconds / intervalNanoseconds)
            return min(Int(clamping: messages), most / charge) * charge
        }

        var bytesPerNanosecond: Double { Double(charge) / Double(intervalNanoseconds) }
    }

    /// The charge for one message of a stream: its data, rounded up as the kernel allocates it, and two headers.
    private static func charge(_ bytes: Int) -> Int {
        var block = 512
        while block - 320 < bytes, block < 1 << 22 { block *= 2 }
        return block + 256
    }
}
