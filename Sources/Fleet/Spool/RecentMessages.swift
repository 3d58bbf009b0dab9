/// The newest messages: while there is a connection they leave within moments, and the disk need not be asked for them.
struct RecentMessages {
    /// In the order of their serials, which have no holes.
    private var messages: [SpooledMessage] = []
    private var bytes = 0

    private static let most = 128
    private static let mostBytes = 256 << 10

    /// The message at a serial; nil if it is not among the newest.
    func message(at serial: UInt64) -> SpooledMessage? {
        guard let first = messages.first?.serial, serial >= first, serial - first < UInt64(messages.count) else {
            return nil
        }
        return messages[Int(serial - first)]
    }

    /// A message was written.
    mutating func add(_ message: SpooledMessage) {
        let isNext = messages.last.map { $0.serial + 1 == message.serial } ?? true
        if !isNext || messages.count == Self.most || bytes + message.message.payload.count > Self.mostBytes {
            // Half of them, so that each is moved once.
            let kept = isNext && message.message.payload.count < Self.mostBytes / 4 ? messages.count / 2 : 0
            messages.removeFirst(messages.count - kept)
            bytes = messages.reduce(0) { $0 + $1.message.payload.count }
        }
        assert(messages.last.map { $0.serial + 1 == message.serial } ?? true, "serials have no holes")
        assert(messages.count < Self.most, "memory is bounded")
        messages.append(message)
        bytes += message.message.payload.count
    }
}
